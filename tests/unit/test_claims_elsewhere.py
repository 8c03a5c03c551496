"""Away from the papers' parameters, a claim that the table cannot decide says so: it is not refuted.

The settings are ones at which limits are out of reach, samples are few, or points stand alone.
"""

import pytest

from reproduction.experiments.warlogs.checks import too_few, unlike_predictions
from tables import drawn, judged, made

SETTINGS = [
    ("fig5_1", {"scales": [1], "orders": [5]}),
    ("fig5_1", {"prior": [1, 2], "scales": [0.2, 1], "orders": [1.5, 3]}),
    ("fig5_1", {"orders": [8, 9, 10]}),
    ("fig5_1", {"orders": [10000]}),
    ("fig5_2", {"prior": [0.01, 0.02], "orders": [1.5, 4]}),
    ("fig5_2", {"scales": [1e-6], "orders": [2, 3]}),
    ("fig5_3", {"prior": [1, 2], "epsilons": {"ln_from": -10, "ln_to": 2, "points": 13}}),
    ("fig5_3", {"n": 10000, "successes": 3200, "epsilons": {"ln_from": -10, "ln_to": 2, "points": 13}}),
    ("fig5_3", {"n": 1000000, "successes": 320000, "epsilons": [0.001, 0.1, 10]}),
    ("fig5_3", {"prior": [1000000, 2000000], "epsilons": [0.001, 0.1, 10]}),
    ("fig5_3", {"order": 10000, "epsilons": [0.01, 0.1, 1]}),
    ("fig5_3", {"epsilons": [0.1]}),
    ("fig5_4", {"epsilons": [0.001, 0.01]}),
    ("fig5_4", {"epsilons": [0.5]}),
    ("fig5_4", {"prior": [1, 2], "successes": 0, "epsilons": [0.001, 0.1, 10]}),
    ("fig5_5", {"runs": 2}),
    ("fig5_5", {"runs": 2, "n": 1, "epsilons": [1e-9, 1e-40]}),
    ("fig5_5", {"n": 1000000, "runs": 200, "epsilons": [0.001, 1]}),
    ("fig5_5", {"n": 1000000, "runs": 200, "epsilons": [1000]}),
    ("fig5_5", {"epsilons": [1000], "runs": 200}),
    ("fig5_6", {"prior": [1000000, 2000000], "runs": 300}),
    ("fig5_7", {"prior": [1, 2], "rho": [0.2, 0.8], "runs": 300}),
    ("fig5_7", {"rho": [0.33333, 0.33334], "runs": 300}),
    ("fig5_7", {"epsilons": [10, 100], "runs": 300}),
    ("fig5_8", {"epsilons": [0.5], "runs": 300}),
    ("fig4_1", {"epsilon": 100}),
    ("fig4_1", {"n": 1, "successes": 0}),
    ("fig4_2", {"sizes": [1], "repeats": 100}),
    ("fig4_2", {"sizes": [10, 100000], "epsilon": 20, "repeats": 100}),
    ("asymptotic_efficiency", {"sizes": [10], "repeats": 100}),
    ("supp1_1", {"n": 1}),
    ("supp1_1", {"truncation": 0.4, "n": 20}),
    ("tab4_1", {"n": 10, "epsilon": 50}),
    ("mcmc_costs", {"epsilon": 1}),
    ("mcmc_costs", {"n": 1, "steps": 1}),
    ("mcmc_costs", {"width": 1e-12}),
    ("mcmc_costs", {"epsilon": 1e-9}),
    ("mcmc_costs", {"truncation": 1.2e-16}),
    ("mcmc_costs", {"truncation": 1.2e-16, "epsilon": 100}),
    ("tab4_1", {"truncation": 1.2e-16, "n": 1000}),
    ("fig5_3", {"epsilons": [0.19129022677671565, 0.19129022677688964, 0.19129022677688961, 1]}),
    ("asymptotic_efficiency", {"p": 0.03, "sizes": [100, 1000000], "repeats": 1000}),
    ("asymptotic_efficiency", {"truncation": 0.24, "sizes": [100, 1000000], "repeats": 1000}),
    ("asymptotic_efficiency", {"epsilon": 0.05, "sizes": [100, 20000], "repeats": 200}),
    ("asymptotic_efficiency", {"sizes": [100000], "repeats": 2}),
    ("asymptotic_efficiency", {"sizes": [100000], "repeats": 140}),
    ("tab4_1", {"p": 0.03}),
    ("tab4_1", {"p": 0.999}),
    ("tab4_1", {"truncation": 0.499}),
    ("tab4_1", {"epsilon": 0.01}),
    ("fig4_1", {"truncation": 0.499}),
    ("fig4_1", {"n": 100000, "successes": 30000}),
    ("fig4_1", {"prior": [0.1, 0.2], "successes": 0}),
    ("fig4_1", {"prior": [0.5, 1], "n": 1, "successes": 1}),
    ("fig4_2", {"epsilon": 0.02, "sizes": [2000], "repeats": 100}),
    ("fig4_2", {"sizes": [10], "repeats": 2}),
    ("supp1_1", {"truncation": 0.001}),
    ("supp1_1", {"truncation": 0.49}),
    ("supp1_1", {"prior": [50, 100]}),
    ("mcmc_costs", {"truncation": 0.3, "width": 0.3, "epsilon": 3}),
    ("fig4_3", {"rows": 0.01}),
    ("fig4_3", {"rows": 0.01, "states": 4, "iterations": 10, "burn_in": 2}),
    ("fig4_3", {"rows": 0.01, "log": "afghanistan", "epsilon": 0.1}),
    ("fig4_4", {"rows": 0.01, "variant": "noise-aware", "iterations": 20, "burn_in": 10}),
    ("fig4_5", {"rows": 0.01, "log": "afghanistan", "variant": "sum-then-clip"}),
    ("fig4_6", {"rows": 0.01, "iterations": 20, "burn_in": 10, "epsilons": [2], "splits": 2, "multipliers": [1.5]}),
    ("fig4_6", {"rows": 0.01, "iterations": 12, "burn_in": 10, "splits": 2, "logs": ["iraq"], "states": 3}),
    ("fig4_7", {"rows": 0.01, "states": 5, "multiplier": 2}),
    ("supp4_4", {"rows": 0.01, "epsilon": 0.05}),
    ("supp4_5", {"rows": 0.01, "states": 12, "beta": 0.3, "alpha": 0.2}),
    ("supp4_6", {"rows": 0.01, "beta": 0.2, "multiplier": 1000}),
    ("laplace_variants", {"rows": 0.01, "iterations": 20, "burn_in": 10, "epsilons": [0.02], "splits": 2}),
    ("laplace_variants", {"rows": 0.01, "variants": ["clip"], "epsilons": [5], "splits": 2, "logs": ["afghanistan"]}),
    ("states_used", {"rows": 0.01, "states": 4, "epsilons": [0.1], "repeats": 2}),
    ("states_recovered", {"rows": 0.01, "repeats": 2, "states": 3, "logs": ["afghanistan"]}),
    ("hmm_convergence", {"rows": 0.01, "iterations": 30, "epsilons": [10], "burn_in": 10, "chains": 2}),
    ("fig4_7", {"alpha": 50, "beta": 40, "multiplier": 1.5, "iterations": 4, "burn_in": 2}),
    ("supp4_6", {"states": 9}),
    ("fig4_3", {"beta": 5000, "iterations": 3, "burn_in": 1}),
    ("fig4_4", {"beta": 5000, "iterations": 3, "burn_in": 1}),
    ("states_used", {"iterations": 4, "burn_in": 2, "repeats": 2, "epsilons": [5], "logs": ["afghanistan"]}),
    ("hmm_convergence", {"iterations": 8, "burn_in": 2, "epsilons": [10], "logs": ["afghanistan"]}),
    ("fig4_6", {"iterations": 6, "burn_in": 2, "splits": 5, "epsilons": [1, 2, 3, 4, 5], "logs": ["afghanistan"]}),
    ("hmm_costs", {"iterations": 50, "multiplier": 10, "logs": ["iraq"]}),
    ("hmm_costs", {"epsilon": 1000}),
    ("hmm_conditionals", {"states": 3, "steps": 3, "alphas": [4], "shapes": [1, 2, 0.5], "truncations": [0.05]}),
    ("family_lemmas", {"prior": [1, 2], "p": 0.999, "epsilon": 100, "sizes": [1]}),
    ("laplace_approximation", {"sizes": [1]}),
    ("posterior_limits", {"sizes": [10000]}),
    ("posterior_limits", {"sizes": [2, 10000], "epsilon": 100}),
    ("posterior_limits", {"sizes": [10, 20000], "p": 0.06, "epsilon": 0.05}),
    ("posterior_limits", {"sizes": [1000, 20000], "prior": [300, 400], "epsilon": 10}),
    ("tempering", {"temperatures": [5, 1000], "epsilons": [2], "truncations": [0.3], "sizes": [2]}),
    ("tempering", {"truncation": 0.4, "n": 3, "successes": 0, "prior": [6, 18], "temperatures": [3]}),
    ("tempering", {"truncation": 1e-6, "n": 100000, "successes": 100000}),
    ("approximate_samplers", {"n": 1, "lengths": [1], "rate": 1.9}),
    ("approximate_samplers", {"n": 1000000, "lengths": [10, 1000], "epsilons": [5], "deltas": [0.9]}),
    ("approximate_samplers", {"epsilons": [20], "deltas": [1e-6], "rate": 1e-5}),
    ("preliminaries", {"counts": [1], "pairs": 40, "delta": 0.5}),
    ("preliminaries", {"counts": [1000, 5], "delta": 1e-20, "epsilons": [10], "sizes": [2], "pairs": 40}),
    ("fig6_1", {"kernels": 1, "kernel_sizes": [2]}),
    ("fig6_1", {"kernels": 300, "epsilon": 20}),
    ("fig6_1", {"kernels": 60, "kernel_sizes": [12], "epsilon": 1e-9}),
    ("fig6_2", {"kernels": 1, "kernel_sizes": [2], "epsilons": [0.1]}),
    ("fig6_2", {"kernels": 60, "epsilon": 1000, "epsilons": [1e-9, 50, 500]}),
    ("fig6_2", {"kernels": 60, "kernel_sizes": [3, 10], "epsilon": 1e-12}),
    ("mixing_bounds", {"noises": [0]}),
    ("mixing_bounds", {"noises": [1]}),
    ("mixing_bounds", {"noises": [1e-12, 0.5], "epsilon": 30}),
    ("mixing_bounds", {"noises": [0.2, 0.999999999], "epsilon": 1e-6, "delta": 1e-9, "kernel_sizes": [3]}),
    ("mixing_bounds", {"noises": [0.1, 0.6], "epsilon": 500, "delta": 0.999, "kernel_sizes": [2, 3, 12]}),
    ("iterated_laplace", {"orders": [2]}),
    ("iterated_laplace", {"orders": [1.0001, 1000000], "second_scales": [1.0000001]}),
    ("iterated_laplace", {"orders": [1.1, 50], "sensitivity": 1e-5, "first_scale": 3, "second_scales": [0.001, 1000]}),
    ("iterated_laplace", {"orders": [1.1, 50], "sensitivity": 1000, "second_scales": [0.5, 2]}),
    ("iterated_laplace", {"orders": [2], "second_scales": [1e-5, 1e5]}),
    ("iterated_laplace", {"orders": [2], "sensitivity": 1e-9, "second_scales": [2]}),
    ("iteration_bounds", {"contractions": [0.01], "lengths": [1]}),
    ("iteration_bounds", {"contractions": [0.01, 0.999999], "lengths": [1, 2, 1000, 100000]}),
    (
        "iteration_bounds",
        {"order": 1.01, "sensitivity": 100, "sigma": 0.001, "contractions": [0.7, 0.95], "lengths": [30, 300]},
    ),
    ("noisy_sgd", {"n": 1, "repeats": 100}),
    ("noisy_sgd", {"n": 2, "repeats": 2, "dimension": 1}),
    ("noisy_sgd", {"n": 400, "repeats": 50, "convexity": 0.9, "rate": 1.05}),
    ("noisy_sgd", {"n": 60, "repeats": 100, "convexity": 1e-6, "rate": 0.01}),
    (
        "noisy_sgd",
        {"n": 60, "repeats": 100, "lipschitz": 10, "smoothness": 3, "convexity": 1, "rate": 0.5, "sigma": 0.01},
    ),
    ("public_steps", {"dimensions": [1], "repeats": 10, "n": 20}),
    ("public_steps", {"dimensions": [1, 40], "repeats": 60, "n": 100, "epsilon": 100}),
    ("public_steps", {"dimensions": [2, 50], "repeats": 60, "n": 80, "convexity": 0.5, "rate": 1}),
    ("public_steps", {"dimensions": [2, 50], "repeats": 60, "n": 5, "convexity": 0.01, "epsilon": 1}),
    ("public_steps", {"dimensions": [2, 40], "repeats": 50, "n": 60, "epsilon": 1e-6, "lipschitz": 5}),
    ("divergence_facts", {"kernels": 1, "kernel_sizes": [2]}),
    ("divergence_facts", {"kernels": 60, "kernel_sizes": [2, 12]}),
    ("couplings", {"kernels": 1, "kernel_sizes": [2], "kl_orders": [1], "pairs": 40}),
    ("couplings", {"kernels": 30, "kernel_sizes": [12], "kl_orders": [1.0001, 1000], "pairs": 40}),
    ("renyi_lemmas", {"prior": [1, 2], "n": 1, "orders": [500], "epsilons": [1e-6, 1000], "scales": [1]}),
    ("renyi_lemmas", {"prior": [0.01, 5], "n": 10, "orders": [1.0001, 1.99]}),
    ("renyi_lemmas", {"prior": [500, 1000], "orders": [2.5], "sizes": [1000]}),
    ("conjugate_families", {"pairs": 40, "sizes": [1]}),
    ("public_records", {"prior": [0.5, 1.5], "n": 5, "order": 1.2, "rho": 0.1, "epsilons": [1e-4, 3], "sizes": [1]}),
    ("public_records", {"prior": [6, 18], "n": 10, "order": 20, "rho": [0.9], "epsilons": [0.5], "sizes": [2]}),
    ("profile_lemmas", {"bernoulli": [0.5, 0.5], "epsilon": 0.001, "pairs": 40}),
    ("profile_lemmas", {"bernoulli": [0, 1, 0.3], "epsilon": 300, "pairs": 40}),
    ("fig7_1", {"bernoulli": [0.5, 0.5, 0.5, 0.5]}),
    ("fig7_1", {"bernoulli": [0, 1, 0, 1], "epsilon": 20}),
    ("fig7_1", {"bernoulli": [0.4, 0.5, 0.3, 0.3], "epsilon": 0.001}),
    ("fig7_2", {"gaps": [0]}),
    ("fig7_2", {"gaps": [0.25], "epsilons": [1e-4, 30]}),
    ("fig7_2", {"gaps": [1e-9, 0.5, 1], "epsilons": [1e-4]}),
    ("fig7_3", {"categorical": [[1, 0], [0, 1]], "epsilons": [0.01, 20]}),
    ("fig7_4", {"categorical": [[1, 0], [0, 1]], "epsilons": [0.01, 20]}),
    ("fig7_4", {"categorical": [[0.5, 0.5, 0], [0.5, 0.5, 0]], "epsilons": [0.1]}),
    ("fig7_4", {"categorical": [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [0.7, 0.2, 0.1]], "epsilons": [1e-4, 0.5]}),
    ("fig7_4", {"epsilons": [1e-4, 0.09, 3, 40]}),
    ("fig7_4", {"categorical": [[0.03, 0.92, 0.04, 0.01], [0.32, 0.42, 0.08, 0.18]], "epsilons": [1e-5]}),
    ("fig7_5", {"chain": 2, "epsilons": [1e-4, 50]}),
    ("fig7_7", {"chain": 2, "epsilons": [1e-4, 50]}),
    ("fig7_7", {"chain": 101, "epsilons": [1e-3]}),
    ("tab7_1", {"categorical": [[0.5, 0.5], [0.1, 0.9]]}),
    ("profile_costs", {"chain_lengths": [2], "graphs": [2], "degree": 0.1, "epsilon": 30}),
    ("profile_costs", {"chain_lengths": [40], "graphs": [20], "categories": 2, "epsilon": 0.001}),
]


@pytest.mark.parametrize(("experiment", "changes"), SETTINGS)
def test_nothing_is_refuted_that_cannot_be_decided(experiment, changes):
    table = made(experiment, seed=9, **changes)
    refuted = {c.id: (c.expected, c.measured) for c in judged(experiment, table) if c.verdict == "refuted"}
    assert not refuted
    drawn(experiment, table).canvas.draw()


def test_what_is_not_the_thesis_s_is_named_parameter_by_parameter():
    """A model of one state has no chain, whose length keeps its claim from nothing."""
    changes = {"rows": 1, "iterations": 6, "burn_in": 2, "epsilons": [1, 2, 3, 4, 5], "logs": ["afghanistan"]}
    measured = {c.id: c.measured for c in judged("fig4_6", made("fig4_6", seed=9, splits=5, **changes))}
    short = "not measured: iterations = 6, the thesis has 200; burn_in = 2, the thesis has 100"
    assert measured["small-log-predictive"] == measured["small-log-literal"] == short
    assert measured["naive-bayes-afghanistan"].endswith("violations in 10 cases")


def test_every_parameter_is_named_that_is_not_the_thesis_s():
    params = {"states": 3, "alpha": 1, "beta": 0.3, "iterations": 200, "burn_in": 9, "rows": 0.1, "multipliers": [2]}
    named = [words.split()[0] for words in unlike_predictions(params, simulated=True)]
    assert named == ["states", "beta", "burn_in", "rows", "multipliers"]
    without = unlike_predictions(params, simulated=False, chain=False)
    assert without == ["beta = 0.3, the thesis has 1", "multipliers = [2], the thesis has [10, 100]"]
    few = too_few({"splits": 3, "epsilons": [1, 2]}, epsilons=5, splits=3)
    assert few == ["epsilons has 2, the claim needs 5 or more"]
