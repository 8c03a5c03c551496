"""What the private classifiers and their scores are called in tables."""

DIRECT, DIFFUSED, CONCENTRATED, OPS, OPS_TIGHT = "direct", "diffused", "concentrated", "ops", "ops-tight"
MECHANISMS = (DIRECT, DIFFUSED, CONCENTRATED, OPS, OPS_TIGHT)
ERROR, NLL = "error", "nll"  # the share of wrong labels; the mean of −ln Pr(y | x, w) per record
