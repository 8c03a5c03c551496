"""Test scores of private classifiers against ε (NIPS 2017 Figure 3, supplement Figures 3 and 4)."""

COLUMNS = {
    "dataset": str,
    "order": float,
    "mechanism": str,
    "log_epsilon": float,
    "mean": float,
    "sd": float,
    "precision": float,
    "weight": float,
    "acceptance": float,
}
