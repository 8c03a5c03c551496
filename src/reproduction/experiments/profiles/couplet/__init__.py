"""Figure 7.2: the flip probability of two Bernoulli profiles against their difference (thesis section 7.6.2).

`least`, `closed_form` and `printed` are about the one common flip of two profiles: the least one in exact arithmetic,
Observation 10 completed, and as it is printed. The last is in the row of the example alone, for elsewhere its
denominators may vanish; that row is part of no curve.
"""

COLUMNS = {
    "epsilon": float,
    "p_i": float,
    "p_j": float,
    "mechanism": str,
    "flip": float,
    "least": float | None,
    "closed_form": float | None,
    "printed": float | None,
}
COMMON, OWN, LOCAL, EXAMPLE = "two-profile", "smooth", "randomized-response", "two-profile, example"
