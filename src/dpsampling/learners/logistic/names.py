"""What the private classifiers and their scores are called in tables."""

DIRECT, DIFFUSED, CONCENTRATED, OPS = "direct", "diffused", "concentrated", "ops"
MECHANISMS = (DIRECT, DIFFUSED, CONCENTRATED, OPS)
ERROR, NLL = "error", "nll"  # the share of wrong labels; the mean of −ln Pr(y | x, w) per record
