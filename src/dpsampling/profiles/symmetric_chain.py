r"""The smooth one-bit mechanism of a symmetric chain in closed form, without a linear program.

Let p_1 ≤ … ≤ p_k with p_{k+1−i} = 1 − p_i, successive profiles joined, and o_i = Pr(output = 1 | P_i). The mirror image
of a solution of thesis eq. (7.6), the chain reversed and 0 and 1 exchanged, is one too, with the same largest flip and
the same expected corruption, and their average is no worse: some optimum has o_{k+1−i} = 1 − o_i. Below 1/2 a flip
raises o_i above p_i, and what asks for it is Pr(1 | P_{i+1}) ≤ e^ε Pr(1 | P_i), to which 0 in place of 1 adds nothing;
across the middle of an even chain, 1 − o ≤ e^ε o. So all flips have their least values at once: with b_j = p_j, but
b = max{p, 1/(1 + e^ε)} for the last of an even chain's lower half,

    o_i = max {e^{−(j−i)ε} b_j : j from i to the middle}        where p_i ≤ 1/2.

No other solution has as little corruption: its average with its mirror image would be this one, so that they would
differ from it by +δ and −δ. Where o_i = p_i, and at the middle, this leaves δ_i = 0; a tight edge hands on
δ_i = e^−ε δ_{i+1}.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.numerics.arrays import Array


def ones(p: ArrayLike, epsilon: float) -> Array:
    """Pr(output = 1 | P_i) for the p_i of a symmetric chain."""
    p = np.asarray(p, dtype=float)
    half, shrink = (len(p) + 1) // 2, math.exp(-epsilon)
    lower = p[:half].copy()
    if len(p) % 2 == 0:
        lower[-1] = max(lower[-1], shrink / (1.0 + shrink))
    for i in range(half - 2, -1, -1):
        lower[i] = max(lower[i], shrink * lower[i + 1])
    return np.concatenate([lower, 1.0 - lower[: len(p) - half][::-1]])
