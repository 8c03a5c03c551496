"""Away from the papers' parameters, a claim that the table cannot decide says so: it is not refuted.

The settings are ones at which limits are out of reach, samples are few, or points stand alone.
"""

from __future__ import annotations

import pytest

import tables
from dpsampling import config, project
from dpsampling.experiments.contract import load

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
    ("fig4_8", {"sizes": [10], "repeats": 100}),
    ("supp1_1", {"n": 1}),
    ("supp1_1", {"truncation": 0.4, "n": 20}),
    ("tab4_1", {"n": 10, "epsilon": 50}),
    ("mcmc_costs", {"epsilon": 1}),
    ("mcmc_costs", {"n": 1, "steps": 1}),
    ("mcmc_costs", {"width": 1e-12}),
    ("fig4_8", {"p": 0.03, "sizes": [100, 1000000], "repeats": 1000}),
    ("fig4_8", {"truncation": 0.24, "sizes": [100, 1000000], "repeats": 1000}),
    ("fig4_8", {"epsilon": 0.05, "sizes": [100, 20000], "repeats": 200}),
    ("fig4_8", {"sizes": [100000], "repeats": 2}),
    ("fig4_8", {"sizes": [100000], "repeats": 140}),
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
    ("hmm_costs", {"iterations": 50, "multiplier": 10, "logs": ["iraq"]}),
    ("hmm_costs", {"epsilon": 1000}),
    ("hmm_conditionals", {"states": 3, "steps": 3, "alphas": [4], "shapes": [1, 2, 0.5], "truncations": [0.05]}),
    ("fig6_1", {"kernels": 1, "kernel_sizes": [2]}),
    ("fig6_1", {"kernels": 300, "epsilon": 20}),
    ("fig6_1", {"kernels": 60, "kernel_sizes": [12], "epsilon": 1e-9}),
    ("fig6_2", {"kernels": 1, "kernel_sizes": [2], "epsilons": [0.1]}),
    ("fig6_2", {"kernels": 60, "epsilon": 1000, "epsilons": [1e-9, 50, 500]}),
    ("fig6_2", {"kernels": 60, "kernel_sizes": [3, 10], "epsilon": 1e-12}),
    ("fig6_3", {"noises": [0]}),
    ("fig6_3", {"noises": [1]}),
    ("fig6_3", {"noises": [1e-12, 0.5], "epsilon": 30}),
    ("fig6_3", {"noises": [0.2, 0.999999999], "epsilon": 1e-6, "delta": 1e-9, "kernel_sizes": [3]}),
    ("fig6_3", {"noises": [0.1, 0.6], "epsilon": 500, "delta": 0.999, "kernel_sizes": [2, 3, 12]}),
    ("fig6_4", {"orders": [2]}),
    ("fig6_4", {"orders": [1.0001, 1000000], "second_scales": [1.0000001]}),
    ("fig6_4", {"orders": [1.1, 50], "sensitivity": 1e-5, "first_scale": 3, "second_scales": [0.001, 1000]}),
    ("fig6_4", {"orders": [1.1, 50], "sensitivity": 1000, "second_scales": [0.5, 2]}),
    ("fig6_5", {"contractions": [0.01], "lengths": [1]}),
    ("fig6_5", {"contractions": [0.01, 0.999999], "lengths": [1, 2, 1000, 100000]}),
    ("fig6_5", {"order": 1.01, "sensitivity": 100, "sigma": 0.001, "contractions": [0.7, 0.95], "lengths": [30, 300]}),
    ("fig6_6", {"n": 1, "repeats": 100}),
    ("fig6_6", {"n": 2, "repeats": 2, "dimension": 1}),
    ("fig6_6", {"n": 400, "repeats": 50, "convexity": 0.9, "rate": 1.05}),
    ("fig6_6", {"n": 60, "repeats": 100, "convexity": 1e-6, "rate": 0.01}),
    ("fig6_6", {"n": 60, "repeats": 100, "lipschitz": 10, "smoothness": 3, "convexity": 1, "rate": 0.5, "sigma": 0.01}),
    ("public_steps", {"dimensions": [1], "repeats": 10, "n": 20}),
    ("public_steps", {"dimensions": [1, 40], "repeats": 60, "n": 100, "epsilon": 100}),
    ("public_steps", {"dimensions": [2, 50], "repeats": 60, "n": 80, "convexity": 0.5, "rate": 1}),
    ("public_steps", {"dimensions": [2, 50], "repeats": 60, "n": 5, "convexity": 0.01, "epsilon": 1}),
    ("public_steps", {"dimensions": [2, 40], "repeats": 50, "n": 60, "epsilon": 1e-6, "lipschitz": 5}),
]


@pytest.mark.parametrize(("experiment", "changes"), SETTINGS)
def test_nothing_is_refuted_that_cannot_be_decided(experiment, changes):
    parameters = config.resolve(project.experiment(experiment), changes)
    table = tables.make(experiment, parameters, 9)
    verdicts = {c.id: (c.verdict, c.expected, c.measured) for c in load(experiment).claims(table)}
    assert not {name: told for name, told in verdicts.items() if told[0] == "refuted"}
    figure = load(experiment).figure(table)
    figure.canvas.draw()
