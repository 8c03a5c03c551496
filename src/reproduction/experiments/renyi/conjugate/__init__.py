"""Conjugate families as thesis 5.2.4, Observation 6 and NIPS 2017 supplement A.6 describe them, both sides computed."""

from reproduction.experiments.columns import SIDES

COLUMNS = SIDES  # x: a size, a reach, a share or a clip

# left = right
SENSITIVITY, RANK = "sensitivity", "rank of the statistics"
CUMULANTS_A, CUMULANTS_C = "cumulants of S", "cumulants of T"
LIKELIHOOD_PRINTED, LIKELIHOOD = "likelihood, A once", "likelihood, A for each record"
GRADIENT, HESSIAN_PRINTED, HESSIAN = "gradient of C", "Hessian of C, as printed", "Hessian of C"
FORM, MODE = "g_v", "mode"
CONSTANT, LEVEL = "g_v of a Gaussian mean", "level of a Gaussian mean"
TAIL_PRINTED, TAIL, INFINITE = "tail, a prior on the boundary", "tail, priors inside", "posteriors that are none"
PRIOR = "integral of the prior"
# left ≤ right
MIDPOINT, LAST = "g_v half way", "coordinates below the last"
CLIPPED = "distortion by clipping"
# left > 0
SINGULAR = "least eigenvalue"
# for the figure alone
PARTIAL, HEAVY = "integral up to x", "distortion by clipping, heavy tail"
