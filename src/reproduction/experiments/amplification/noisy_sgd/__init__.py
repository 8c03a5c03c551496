"""Noisy projected SGD: what Theorem 22 promises each record, and the loss of what is released."""

from reproduction.experiments.checks import gradient_steps

COLUMNS = {
    "n": int,
    "lipschitz": float,
    "smoothness": float,
    "convexity": float,
    "rate": float,
    "sigma": float,
    "index": int,
    "curve": str,
    "epsilon": float,
    "excess_loss": float,
    "sem": float,
    "excess_nonprivate": float,
    "sem_nonprivate": float,
    "exact": float,
    "operator_norm": float,
    "largest_ratio": float,
}

PAIRS = 20_000  # of points, whose distances before and after a step give the largest ratio

check = gradient_steps
