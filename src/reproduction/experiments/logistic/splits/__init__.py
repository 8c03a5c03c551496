"""How much the test error of the posterior without privacy depends on the split into training and test records."""

COLUMNS = {"split": int, "mean": float, "sd": float, "acceptance": float}
