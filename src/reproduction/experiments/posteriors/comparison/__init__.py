"""The properties of the Laplace mechanism and of OPS, every cell computed (thesis Table 4.1)."""

from reproduction.experiments.checks import noisy_beta_prior

COLUMNS = {"mechanism": str, "property": str, "value": float}

check = noisy_beta_prior
