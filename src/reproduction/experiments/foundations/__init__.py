"""The mechanisms of "Differential privacy" (a review, 2019) and "Robust and private Bayesian inference" (2014)."""
