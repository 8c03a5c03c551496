"""Columns that the tables of several experiments have, of which each row is about one `statement` of its own."""

# Both sides of a statement; `x` is what its cases differ in, or 0.
SIDES = {"statement": str, "case": str, "x": float, "left": float, "right": float, "cases": int}

# What came out `at` which point, what the source has for it, and what should stand there.
OUTCOMES = {
    "statement": str,
    "case": str,
    "at": float,
    "exact": float,
    "printed": float | None,
    "right": float | None,
}
