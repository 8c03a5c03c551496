"""Learners of the review's section 5 under their true guarantees, and a modern one beside each.

A learner is a frozen value of all that is public: the level of privacy, bounds, classes and domains, which have no
default and are never read off the rows. It has `guarantee`, and learns in two ways:

    fit(X, y, rng)      with noise in floats from a generator with a seed: for experiments, it protects nothing
    release(X, y)       with exact noise from the operating system's bits, no seed

Both clip rows to the public bounds, and give a frozen model with its parameters, its guarantee and diagnostics that are
as public as they are. Sums of rows are exact (`rows.on_grid`), so that no rounding hangs on the order of the rows.
"""
