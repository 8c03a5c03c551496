"""Away from the papers' parameters, a claim that the table cannot decide says so: it is not refuted.

The settings are ones at which limits are out of reach, samples are few, or points stand alone.
"""

from __future__ import annotations

import pytest

from dpsampling import config, project
from dpsampling.experiments.contract import load
from dpsampling.grids import expanded
from dpsampling.randomness import stream

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
    ("fig7_5", {"chain": 2, "epsilons": [1e-4, 50]}),
    ("fig7_7", {"chain": 2, "epsilons": [1e-4, 50]}),
    ("fig7_7", {"chain": 101, "epsilons": [1e-3]}),
    ("tab7_1", {"categorical": [[0.5, 0.5], [0.1, 0.9]]}),
    ("profile_costs", {"chains": [2], "graphs": [2], "degree": 0.1, "epsilon": 30}),
    ("profile_costs", {"chains": [40], "graphs": [20], "categories": 2, "epsilon": 0.001}),
]


@pytest.mark.parametrize(("experiment", "changes"), SETTINGS)
def test_nothing_is_refuted_that_cannot_be_decided(experiment, changes):
    parameters = config.resolve(project.experiment(experiment), changes)
    table = load(experiment).table(expanded(parameters), stream(9, experiment))
    table.attrs["parameters"] = parameters
    verdicts = {c.id: (c.verdict, c.expected, c.measured) for c in load(experiment).claims(table)}
    assert not {name: told for name, told in verdicts.items() if told[0] == "refuted"}
    figure = load(experiment).figure(table)
    figure.canvas.draw()
