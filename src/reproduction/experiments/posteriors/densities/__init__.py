"""Densities of p under the posterior, OPS, and the Laplace mechanism (thesis section 4.3.2, Figure 4.1)."""

from reproduction.experiments.checks import beta_prior

COLUMNS = {"mechanism": str, "draw": int, "p": float, "density": float}

check = beta_prior
