"""What thesis sections 6.1 to 6.3 say of divergences and kernels on the way to Theorem 15, both sides computed."""

from reproduction.experiments.columns import SIDES

COLUMNS = SIDES  # x: a distance of inputs, or γ

# left = right
EVENTS, QUOTIENTS, OVERLAP, GAUSSIAN_OVERLAP = "all events", "quotients", "overlap", "overlap, Gaussian"
MIXTURE, REMAINDER, DISJOINT = "mixture", "remainders", "disjoint remainders"
ADVANCED, RESIDUAL = "advanced joint convexity", "residual kernel"
# left ≤ right
CONVEX, PROCESSED, RENYI_PROCESSED = "joint convexity", "data processing", "data processing, Rényi"
CONTRACTION, POINT_MASSES, MINORISED = "strong contraction", "disjoint laws", "ultra-mixing below"
LAST_PRINTED, LAST = "end of the chain, as printed", "end of the chain"
STRONGER_PRINTED, STRONGER = "stronger bound, as printed", "stronger bound"
# left tends to 1 as inputs part
APART = "inputs apart"

GAUSSIAN, LAPLACE = "Gaussian", "Laplace"
TOTAL, LEVEL, RATIO = "Dobrushin", "(γ, 1)-Dobrushin", "ultra-mixing"
FIRST, SECOND, THIRD, FOURTH = "(1)", "(2)", "(3)", "(4)"
