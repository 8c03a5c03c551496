"""What differential privacy rests on: the mechanisms of a review, and Bayesian inference that is private by itself."""
