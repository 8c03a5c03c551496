r"""Posteriors that are private by themselves (Robust 2014: Dimitrakakis, Nelson, Mitrokotsa and Rubinstein).

Data sets x, y have a distance ρ(x, y), and |ln p_θ(x)/p_θ(y)| ≤ L(θ)·ρ(x, y) with the least such L(θ). Then

    Assumption 1    L(θ) ≤ L for every θ
    Assumption 2    ξ(L(θ) ≤ L) ≥ 1 − e^{−cL} for every L > 0, ξ the prior.
"""
