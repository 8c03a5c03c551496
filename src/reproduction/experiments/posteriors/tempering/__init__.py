"""One posterior sample at every temperature: its limits, what it costs, and how Markov chains move in it."""

from reproduction.experiments.checks import beta_prior
from reproduction.experiments.columns import OUTCOMES

COLUMNS = OUTCOMES  # at ε, truncation a₀, bound B, a number of records or a temperature

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

check = beta_prior
