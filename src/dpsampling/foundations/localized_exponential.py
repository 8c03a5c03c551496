r"""The exponential mechanism with its rate fitted to each data set, and what it really keeps, exactly.

    Pr(y | x) ∝ e^{λ(x) s(x, y)},      λ(x) = ε/(2κ(x)),      κ(x) = max_y max_{x′} |s(x, y) − s(x′, y)|/d(x, x′):

DP review 2019 section 3.5 asks whether this keeps the ε of Proposition 3.11. A constant C on the score of one output
changes no κ(x), but moves ln Pr(y | x)/Pr(y | x′) by (λ(x) − λ(x′))C: where λ differs between neighbours no ε is enough
for all scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from scipy.special import log_softmax

from dpsampling.foundations.finite_metric import on_a_line
from dpsampling.numerics.arrays import Array


def rates(scores: Sequence[Sequence[float]], epsilon: float) -> list[Fraction]:
    """λ(x) on a line of data sets, for a row of scores each."""
    outputs = [on_a_line(column) for column in zip(*scores, strict=True)]
    slopes = [max(kappas) for kappas in zip(*(output.local_lipschitz for output in outputs), strict=True)]
    return [Fraction(epsilon) / (2 * slope) for slope in slopes]


def log_probabilities(scores: Sequence[Sequence[float]], epsilon: float) -> Array:
    """ln Pr(y | x), a row a data set."""
    fitted = np.array([float(rate) for rate in rates(scores, epsilon)])
    return np.asarray(log_softmax(fitted[:, np.newaxis] * np.asarray(scores, dtype=float), axis=1))


def true_epsilon(scores: Sequence[Sequence[float]], epsilon: float) -> float:
    """The largest ln Pr(y | x)/Pr(y | x′) over outputs and neighbours, in either direction."""
    return float(np.abs(np.diff(log_probabilities(scores, epsilon), axis=0)).max())
