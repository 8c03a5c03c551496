"""E|p̃ − p| of one draw against the number of records (thesis section 4.3.2, Figure 4.2)."""

from reproduction.experiments.checks import noisy_beta_prior

COLUMNS = {"mechanism": str, "n": int, "mean": float, "sem": float, "exact": float}

check = noisy_beta_prior
