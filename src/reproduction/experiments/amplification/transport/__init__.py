"""Theorem 20 with its couplings, and what Theorems 21 and 22 rest on, both sides computed (thesis section 6.4)."""

from reproduction.experiments.columns import SIDES

# The order is of a Rényi divergence, 1 for KL; x a distance, a Lipschitz constant, a size or a quantile; 0 if none.
COLUMNS = {"statement": str, "case": str, "order": float} | SIDES

# left = right
CARRIED, IDENTITY, LAPLACE = "carried", "identity coupling", "Laplace noise"
QUADRATIC, OPPOSED, SHRUNK_LINE = "co-coercivity, two eigenvalues", "first step, opposed losses", "affine map"
# left ≤ right
THEOREM, BEST = "Theorem 20", "Theorem 20, best of the laws"
SHARE = "share of the best bound"  # its quantile x over kernels
SHRUNK, COERCIVE, STEP = "Lemma 6", "co-coercivity", "first step"
STEP_PRINTED, STEP_RIGHT = "first step, one gradient twice", "first step, both gradients"
SHRINKAGE, BEYOND = "shrunk release", "shrunk release, beyond the bound"
