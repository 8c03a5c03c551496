"""Table 7.1: the profiles of the categorical chain, reconstructed (thesis section 7.6.1)."""

from reproduction.experiments.profiles import checks

COLUMNS = {"profile": int, "category": int, "probability": float}

check = checks.profiles
