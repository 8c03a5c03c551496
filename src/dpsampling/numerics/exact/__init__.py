"""Exact draws: each released number is a deterministic function of one ideal draw, decided by interval arithmetic.

`tape` has the uniforms, whose bits are the operating system's (`bits`); `laws`, `truncated` and `truncated_dirichlet`
are the textbook samplers as plain programs on them; `draws` makes the numbers that may be released, integers with a
public exponent (`fixed_point`), and `promise` says what that promises. `replay` looks for what else a release tells,
outside the functions marked `data_dependent`. docs/private-in-bits.md has the argument.
"""
