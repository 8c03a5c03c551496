"""What priors and likelihoods satisfy: constants, the prior's mass of Θ_L, log-ratios by brute force (Robust 2014)."""

from __future__ import annotations

COLUMNS = {
    "statement": str,  # one of those below
    "family": str,
    "n": int,
    "concentration": float,  # λ, α, c or ε
    "level": float,  # L, θ or another place
    "exact": float,
    "bound": float,
    "cases": int,
}

OMEGA, KAPPA, SEARCHED_OMEGA, SEARCHED_KAPPA = "omega", "kappa", "omega by search", "kappa by search"
CONVEX = "convexity of (C.4)"
MASS = "prior mass of Θ_L"
SMOOTH = "L(θ) by search"
NATURAL = "L(θ) in natural parameters"
UNBOUNDED = "log-ratio of a bit"
LARGEST_C = "largest c"
STEEPEST, LEAST_SLOPE = "steepest chord", "least chord"
TAIL, TAIL_POWER, TAIL_C, TAIL_CONSTANT = "tail", "tail power", "tail with the last c", "the last c"
POSTERIOR, PREDICTIVE = "posterior against Beta", "posterior against beta-binomial"
HAMMING, WEIGHTED = "log-ratio over Hamming", "log-ratio over weighted"
EVENTS, SAME = "Definition 2 over all events", "posteriors at distance 0"
DIVERGENCE, ERROR = "KL for a unit of ρ", "expected squared error of a draw"

EXPONENTIAL, LAPLACE, NORMAL, BITS = "exponential", "Laplace", "normal", "bits"
LOCATION = "Laplace, prior of the location"
PRINTED_NORMAL = "normal, variance ~ Exp"
BINOMIAL = "binomial"
NONE = "-"

LONGEST = 50  # trials, of which all chords are looked at
