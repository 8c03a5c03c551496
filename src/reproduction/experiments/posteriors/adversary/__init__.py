"""The dataset-specific ε of one posterior draw under a greedy adversary (UAI 2016 supplement, Figure 1)."""

from reproduction.experiments.checks import beta_prior

COLUMNS = {"n": int, "successes": int, "epsilon": float, "worst_case": float, "epsilon_ties_to_failures": float}

check = beta_prior
