"""Bayesian logistic regression under privacy: exact draws from its posteriors (docs/logistic.md has the argument)."""
