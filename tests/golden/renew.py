"""Write the golden values anew: `python tests/golden/renew.py`. Do so only when a change of the numbers is meant."""

from __future__ import annotations

from pathlib import Path

from dpsampling import config, files, project
from dpsampling.experiments.contract import load
from dpsampling.grids import expanded
from dpsampling.randomness import stream

SEED = 2020
SETTINGS = {
    "fig4_1": {"repeats": 3},
    "fig4_2": {"sizes": [1, 10, 1000, 100000], "repeats": 200},
    "fig4_8": {"sizes": [10, 1000], "repeats": 200},
    "mcmc_costs": {},
    "supp1_1": {"n": 20},
    "tab4_1": {"n": 10000},
    "fig5_1": {"orders": [1.1, 2, 6.9, 15]},
    "fig5_2": {"orders": [1.1, 2, 6.9, 15]},
    "fig5_3": {"epsilons": [1e-4, 0.02, 0.5]},
    "fig5_4": {"epsilons": [1e-4, 0.02, 0.5]},
    "fig5_5": {"epsilons": [1e-4, 0.02, 0.5], "runs": 500},
    "fig5_6": {"epsilons": [1e-4, 0.02, 0.5], "runs": 500},
    "fig5_7": {"epsilons": [1e-4, 0.5], "runs": 500},
    "fig5_8": {"epsilons": [1e-4, 0.5], "runs": 500},
    "fig7_1": {},
    "fig7_2": {"epsilons": [0.01, 0.2, 3], "gaps": [0, 0.05, 0.3, 0.7, 1]},
    "fig7_3": {"epsilons": [0.1, 1]},
    "fig7_4": {"epsilons": [0.02, 0.1, 0.5]},
    "fig7_5": {"epsilons": [0.01, 0.2, 3]},
    "fig7_6": {"epsilons": [0.01, 0.2, 3]},
    "fig7_7": {"epsilons": [0.01, 0.2, 3]},
    "fig7_8": {"epsilons": [0.01, 0.2, 3]},
    "tab7_1": {},
    "profile_costs": {"chains": [10, 100], "graphs": [10, 30], "categories": 5},
}


def compute(experiment: str):
    """The golden table of one experiment."""
    parameters = config.resolve(project.experiment(experiment), SETTINGS[experiment])
    return load(experiment).table(expanded(parameters), stream(SEED, experiment))


if __name__ == "__main__":
    for name in SETTINGS:
        files.write_table(Path(__file__).parent / f"{name}.csv", compute(name))
