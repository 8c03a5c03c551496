"""What "Robust and private Bayesian inference" (Dimitrakakis et al., 2014) states, computed exactly."""
