"""Iterated Laplace noise: the bound (6.2) and the exact divergence (thesis Example 2, Lemma 5)."""

COLUMNS = {
    "delta": float,
    "scale1": float,
    "scale2": float,
    "order": float,
    "curve": str,
    "epsilon": float,
    "density_error": float | None,
    "tail_log_ratio": float | None,
}

BOUND, EXACT, FIRST, SECOND = "bound", "exact", "single", "second alone"
TAIL = 1e4  # how far in the tail a log-ratio is looked at, in units of the larger scale and the distance
HIGH = 10**10  # an order at which the limit is near, in every table; figures show it only if it is asked for
