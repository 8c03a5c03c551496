"""The words that tables of event logs use for models, mechanisms and scores. No mathematics: figures read them too."""

from __future__ import annotations

NAIVE_BAYES, HIDDEN_MARKOV = "naive Bayes", "HMM"  # models
PREDICTIVE, LITERAL = "predictive", "literal"  # scores
NON_PRIVATE, LAPLACE, OPS, PRIVATE_GIBBS = "non-private", "laplace", "ops", "private Gibbs"  # mechanisms
CLIP, SUM_THEN_CLIP, NOISE_AWARE = "clip", "sum-then-clip", "noise-aware"  # what is made of negative noisy counts
