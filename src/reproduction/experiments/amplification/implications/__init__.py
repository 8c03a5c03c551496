"""Implications between mixing conditions, on random kernels (thesis section 6.3, Figure 6.1)."""

from itertools import combinations

from dpsampling.amplification.names import DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING

COLUMNS = {
    "premise": str,
    "conclusion": str,
    "kernels": int,
    "violations": int,
    "counterexample": str | None,
    "premise_coefficient": str | None,
    "conclusion_coefficient": str | None,
}

CHAIN = (ULTRA_MIXING, DOEBLIN, DOBRUSHIN, LEVEL_DOBRUSHIN)  # from the strongest to the weakest
IMPLIED = frozenset(combinations(CHAIN, 2))
RATIO = 3  # e^ε, where the counterexamples are looked at
ROUNDING = 1e-12  # of coefficients that are equal, as those of Dobrushin and Doeblin with two inputs
