"""Parameters that experiments refuse, each in a sentence that names what is wrong."""

import pytest

import refusals
from reproduction import config, project

REFUSED = [  # an experiment, what is changed of its smallest parameters, and words of the sentence
    ("approximate_samplers", {"rate": 2.0}, "run away"),
    ("asymptotic_efficiency", {"truncation": 0.3}, "below 1/4"),
    ("asymptotic_efficiency", {"probabilities": [0.5, 0.4]}, "sum to 1"),
    ("event_log_facts", {"logs": ["afghanistan"]}, "logs has 1; name a log, and the same with its casualties"),
    ("event_log_facts", {"epsilon": 3}, "epsilon is 3, which is none of the epsilons"),
    ("family_lemmas", {"prior": [6, 180]}, "their sum at most 150"),
    ("fig6_1", {"kernel_sizes": [1]}, "kernel_sizes[0] is 1"),
    ("fig6_2", {"epsilons": [601]}, "randomized response needs 600 or less"),
    ("fig7_1", {"bernoulli": [0.1, 0.2]}, "bernoulli is [0.1, 0.2] … four profiles"),
    ("fig7_3", {"mechanism": "smooth-one-bit"}, "mechanism is 'smooth-one-bit' … or 'smooth-categorical'"),
    ("fig7_5", {"mechanism": "warner"}, "mechanism is 'warner' … randomized-response"),
    ("fig7_7", {"mechanism": "smooth-categorical"}, "mechanism is 'smooth-categorical' … or 'smooth-one-bit'"),
    ("glm_bounds", {"sizes": [6]}, "5 records at most"),
    ("iterated_laplace", {"second_scales": [0]}, "second_scales[0] is 0"),
    ("iteration_bounds", {"contractions": [1.1]}, "contractions[0] is 1.1"),
    ("mixing_bounds", {"noises": [1.2]}, "noises[0] is 1.2"),
    ("mixing_bounds", {"epsilon": 601}, "randomized response needs 600 or less"),
    ("noisy_sgd", {"rate": 1.9}, "at most 2/(β + ρ) = 1.81818"),
    ("noisy_sgd", {"convexity": 1}, "below the smoothness"),
    ("posterior_limits", {"truncation": 0.4, "p": 0.3}, "p is 0.3"),
    ("preliminaries", {"epsilons": [0.1, 30]}, "levels go up to 10"),
    ("public_steps", {"rate": 0}, "rate is 0"),
    ("rev_blocks", {"block_counts": [2001], "n": 2000}, "every block needs a record"),
    ("rev_blocks", {"block_counts": [4]}, "an odd number of blocks"),
    ("rev_blocks", {"repeats": 100_000, "n": 2000}, "their product must be"),
    ("rev_blocks", {"n": 10_001, "block_counts": [10_001], "repeats": 100}, "lower either"),
    ("rev_composition", {"epsilons": [20]}, "up to 10"),
    ("rev_composition", {"epsilon": 10}, "distances has"),
    ("rev_composition", {"deltas": [1 - 1e-12]}, "below 1"),
    ("rev_conjugate", {"repeats": 1}, "repeats is 1"),
    ("rev_conjugate", {"update_counts": [16384], "categories": 64}, "too many"),
    ("rev_examples", {"n": 5000}, "200 records"),
    ("rev_gaussian", {"deltas": [0.1, 1]}, "deltas has 1;"),
    ("rev_gaussian", {"deltas": [1e-20]}, "deltas has 1e-20"),
    ("rev_gaussian", {"epsilons": [1000], "distances": [1000]}, "product of 1e+06"),
    ("rev_kmeans", {"block_counts": [20]}, "odd number"),
    ("rev_kmeans", {"block_counts": [101], "n": 100}, "block_counts has 101"),
    ("rev_kmeans", {"repeats": 1}, "repeats is 1"),
    ("rev_kmeans", {"n": 1_000_000, "repeats": 1000}, "lower either"),
    ("rev_learners", {"repeats": 1}, "repeats"),
    ("rev_linear", {"n": 1_000_000, "dimension": 100}, "lower one of them"),
    ("rev_linear", {"dimension": 500}, "100 features or less"),
    ("rev_localized", {"line_points": [6], "height": 16}, "has 6 and height is 16: that is 24137569 functions"),
    ("rev_naive_bayes", {"repeats": 1}, "repeats is 1"),
    ("rev_naive_bayes", {"datasets": ["iris"]}, "there is no data set 'iris'"),
    ("rev_sensitivity", {"dimensions": [41]}, "dimensions has 41; this search needs 40 or less"),
    ("rev_sgd", {"repeats": 1}, "at least 2"),
    ("rev_sgd", {"delta": 1e-12}, "needs 1e-8 or more"),
    ("rev_svm", {"datasets": ["planted"]}, "leave it out"),
    ("rev_svm", {"planted_rows": 20000, "planted_dimension": 200}, "a million"),
    ("rev_tails", {"dimensions": [1, 40]}, "dimensions has 40"),
    ("rev_tails", {"epsilons": [0.1, 5]}, "epsilons has 5"),
    ("rev_tails", {"epsilons": [1e-4]}, "epsilons has 0.0001"),
    ("rev_trees", {"repeats": 1}, "repeats is 1"),
    ("rev_trees", {"depth": 15}, "depth is 15"),
    ("rev_tuning", {"repeats": 1}, "at least 2"),
    ("rev_tuning", {"epsilons": [1e-6]}, "cannot be told apart"),
    ("rob_distinguish", {"runs": 100_000, "posterior_draws": [10_000]}, "the product of both"),
    ("rob_kl", {"least_probabilities": [0.5]}, "0.5"),
    ("rob_kl", {"sizes": [100_000]}, "sizes has 100000; posteriors are compared of 400 records at most"),
    ("rob_lemmas", {"cells": [5], "resolution": 4}, "for 5 cells it must be as many or more"),
    ("rob_session", {"counts": [2]}, "one query must be among them"),
    ("rob_session", {"outcomes": 100, "counts": [1, 9]}, "lower one of them"),
    ("rob_session", {"epsilon": 1e-9}, "to nine digits for levels from 0.001 to 100"),
]


@pytest.mark.parametrize(("name", "changes", "words"), REFUSED)
def test_parameters_outside_their_range_are_one_sentence(name, changes, words):
    e = project.experiment(name)
    said = refusals.of_call(config.resolve, e, {**e.smallest, **changes})
    assert said.startswith(f"{name}: ")
    assert "\n" not in said
    assert all(word in said for word in words.split(" … ")), said
