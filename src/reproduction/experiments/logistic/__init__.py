"""Private Bayesian logistic regression: NIPS 2017 section 5.2 and supplement A.7, A.8."""
