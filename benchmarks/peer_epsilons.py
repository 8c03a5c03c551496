"""What the stated ε of three models of diffprivlib 0.6.6 really is: `python peer_epsilons.py` where it is installed.

    LogisticRegression    the Jacobian's share of ε is taken for c·R where it is c·R², with rows of norm R
    KMeans                the centre of a cluster without rows stays where it was, and gets no noise
    LinearRegression      noise on Σ x_j² is for the square of the lower bound, whatever the upper one is

For each, two neighbouring data sets, one row replaced; what an attacker sees is the released model alone. An event's
frequencies over many fits give a lower bound of ε by Clopper and Pearson at 1 − 10⁻⁶, and of the first the exact
density ratio at one point too.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit
from scipy.stats import beta

ERROR = 1e-6  # of both bounds together
STATED = 1.0

Event = Callable[[Any], bool]
Fit = Callable[[Any, int], Any]


def least_epsilon(seen: int, seen_by_neighbour: int, runs: int, delta: float = 0.0) -> float:
    """Below ln((p − δ)/p′), but for a chance of `ERROR`."""
    low = beta.ppf(ERROR / 2.0, seen, runs - seen + 1) if seen else 0.0
    high = beta.isf(ERROR / 2.0, seen_by_neighbour + 1, runs - seen_by_neighbour) if seen_by_neighbour < runs else 1.0
    return math.log((low - delta) / high) if low > delta else -math.inf


def least_delta(seen: int, seen_by_neighbour: int, runs: int, epsilon: float) -> float:
    """Below p − e^ε p′, but for a chance of `ERROR`."""
    low = beta.ppf(ERROR / 2.0, seen, runs - seen + 1) if seen else 0.0
    high = beta.isf(ERROR / 2.0, seen_by_neighbour + 1, runs - seen_by_neighbour) if seen_by_neighbour < runs else 1.0
    return float(max(0.0, low - math.exp(epsilon) * high))


def attacked(fit: Fit, data: Any, neighbour: Any, event: Event, runs: int) -> dict[str, float]:
    """How often the event is seen of both, and what follows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen, other = (sum(bool(event(fit(rows, seed))) for seed in range(runs)) for rows in (data, neighbour))
    return {
        "runs": runs,
        "seen": seen,
        "seen_by_neighbour": other,
        "least_epsilon": least_epsilon(seen, other, runs),
        "least_delta": least_delta(seen, other, runs, STATED),
    }


def exact_logistic(norm: float, weight: float, epsilon: float) -> float:
    """sup_w ln p(w)/p′(w) on a grid, of records (R, 1), (0, 0) and (0, 1), (0, 0): d = 1, no intercept, C = `weight`.

    b(w) = −aw − Σ ℓ′(z_i w) z_i has density ∝ e^{−ε′|b|/(2R)}, so that w has it times |∂b/∂w| = a + Σ ℓ″(z_i w) z_i²,
    with a and ε′ as `diffprivlib.mechanisms.Vector` sets them.
    """
    ridge = 1.0 / weight
    left = epsilon - 2.0 * math.log1p(0.25 * norm / ridge)
    if left <= 0.0:
        ridge, left = 0.25 * norm / math.expm1(epsilon / 4.0), epsilon / 2.0

    def log_density(w: Any, z: float) -> Any:
        b = -ridge * w + z * expit(-z * w)
        return -left * np.abs(b) / (2.0 * norm) + np.log(ridge + z * z * expit(z * w) * expit(-z * w))

    w = np.linspace(-10.0 / norm, 10.0 / norm, 200_001)
    return float((log_density(w, norm) - log_density(w, 0.0)).max())


def logistic(runs: int) -> dict[str, float]:
    """R = 100, C = 1."""
    from diffprivlib.models import LogisticRegression

    def fit(x: float, seed: int) -> Any:
        model = LogisticRegression(epsilon=STATED, data_norm=100.0, C=1.0, fit_intercept=False, random_state=seed)
        return model.fit(np.array([[x], [0.0]]), np.array([1, 0]))

    near = attacked(fit, 100.0, 0.0, lambda model: -0.01 < model.coef_[0, 0] < 0.03, runs)
    return {"exact_epsilon": exact_logistic(100.0, 1.0, STATED), **near}


def k_means(runs: int) -> dict[str, float]:
    """A row at (1, …, 1) beside 999 at 0, and a thousand at 0; two clusters on [0, 1]²⁰.

    All rows at 0 are one cluster, and the other's centre, no coordinate of which is drawn above .875, stays.
    """
    from diffprivlib.models import KMeans

    def fit(last: float, seed: int) -> Any:
        rows = np.zeros((1000, 20))
        rows[-1] = last
        return KMeans(2, epsilon=STATED, bounds=(0.0, 1.0), random_state=seed).fit(rows)

    return attacked(fit, 1.0, 0.0, lambda model: model.cluster_centers_.max() > 0.875, runs)


def linear(runs: int) -> dict[str, float]:
    """One row x = 0.01, or 1, with y = 0; x and y on [0, 1], no intercept: noise of scale 0 on Σ x²."""
    from diffprivlib.models import LinearRegression

    def fit(x: float, seed: int) -> Any:
        model = LinearRegression(
            epsilon=STATED, bounds_X=(0.0, 1.0), bounds_y=(0.0, 1.0), fit_intercept=False, random_state=seed
        )
        return model.fit(np.array([[x]]), np.array([0.0]))

    found = attacked(fit, 0.01, 1.0, lambda model: abs(float(np.ravel(model.coef_)[0])) > 30.0, runs)
    without = sum(float(fit(0.5, seed)._obj_coefs[2][0, 0]) == 0.25 for seed in range(100))
    return {**found, "sums_of_squares_without_noise_in_100": without}


def main(runs: int) -> dict[str, dict[str, float]]:
    """All three."""
    return {
        "LogisticRegression": logistic(runs),
        "KMeans": k_means(max(runs // 10, 10)),
        "LinearRegression": linear(runs),
    }


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000), indent=2))
