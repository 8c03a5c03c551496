"""One posterior sample at every temperature: its limits, what it costs, and how Markov chains move in it."""

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import beta_prior

COLUMNS = {
    "statement": str,  # one of those below
    "case": str,
    "at": float,  # ε, truncation a₀, bound B, number of records or temperature, whichever the statement is about
    "exact": float,
    "printed": float | None,  # what the source says
    "right": float | None,  # what should stand there
}

UNIFORM, TRUE, PEAK = "distance from the uniform law", "distance from the posterior", "mass near the mode"
COST, DIFFERENCE = "level of a posterior draw", "largest difference of log-likelihoods"
SENSITIVITY = "sensitivity"
LIKELIHOOD, PARTITION = "term of the likelihood", "term of the partition function"
BASE = "total probability of a record"
ACCEPTED, MOVED, RELAXED = "moves accepted", "squared jump", "relaxation time"
COINS, DENSITIES = "truncated coin", "two densities"
ONE_PEAK, TWO_PEAKS = "Metropolis, one peak", "Metropolis, two peaks"
COUPLED, SKEWED = "Gibbs, two strongly coupled bits", "Gibbs, two bits with a rare state"
BARRIERS = (TWO_PEAKS, COUPLED)  # where modes are kept apart


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior."""
    beta_prior(params)
