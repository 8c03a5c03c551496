"""Write golden values anew: `python tests/golden/renew.py [ID …]`. Do so only when a change of the numbers is meant."""

import argparse
import sys
from pathlib import Path

from dpsampling import files
from reproduction import config, project

sys.path.insert(0, str(Path(__file__).parents[1]))
import tables

SEED = 2020
FITTED = ("fig4_3", "fig4_4", "fig4_5", "fig4_7", "supp4_3", "supp4_4", "supp4_5", "supp4_6")
AS_THEY_ARE = ("mcmc_costs", "family_lemmas", "hmm_costs", "fig7_1", "tab7_1", "public_mechanisms")
SETTINGS = {
    "fig4_1": {"repeats": 3},
    "fig4_2": {"sizes": [1, 10, 1000, 100000], "repeats": 200},
    "asymptotic_efficiency": {"sizes": [10, 1000], "repeats": 200},
    **{name: {} for name in AS_THEY_ARE},
    "laplace_approximation": {"sizes": [1, 10, 1000]},
    "posterior_limits": {"sizes": [1, 100, 10000]},
    "tempering": {"epsilons": [0.01, 1, 100], "sizes": [3, 100], "temperatures": [1.5, 20]},
    "approximate_samplers": {"epsilons": [0.1, 1], "deltas": [0.001, 0.1], "lengths": [1, 100000]},
    "preliminaries": {"pairs": 40, "sizes": [2, 10], "counts": [1, 10]},
    **{name: {"rows": 0.02, "iterations": 30, "burn_in": 20} for name in FITTED},
    "fig4_6": {"rows": 0.02, "iterations": 20, "burn_in": 10, "epsilons": [1, 10], "splits": 2},
    "laplace_variants": {"rows": 0.02, "iterations": 20, "burn_in": 10, "epsilons": [1], "splits": 2},
    "states_used": {"rows": 0.02, "iterations": 20, "burn_in": 10, "epsilons": [5], "repeats": 2},
    "states_recovered": {"rows": 0.02, "iterations": 20, "burn_in": 10, "repeats": 2},
    "hmm_convergence": {"rows": 0.02, "iterations": 30, "burn_in": 10, "epsilons": [1], "chains": 2},
    "event_log_facts": {"iterations": 20, "burn_in": 10, "epsilons": [5], "splits": 2},
    "hmm_conditionals": {"steps": 4, "alphas": [0.1, 1], "truncations": [0.03, 0.2]},
    "supp1_1": {"n": 20},
    "tab4_1": {"n": 10000},
    **{name: {"orders": [1.1, 2, 6.9, 15], "scales": [0.3, 1]} for name in ("fig5_1", "fig5_2")},
    **{name: {"epsilons": [1e-4, 0.02, 0.5]} for name in ("fig5_3", "fig5_4")},
    **{name: {"epsilons": [1e-4, 0.02, 0.5], "runs": 500} for name in ("fig5_5", "fig5_6")},
    **{name: {"epsilons": [1e-4, 0.5], "runs": 500} for name in ("fig5_7", "fig5_8")},
    "fig6_1": {"kernels": 500},
    "fig6_2": {"kernels": 25, "epsilons": [0.5, 2]},
    "mixing_bounds": {"noises": [0, 0.1, 0.5, 1]},
    "iterated_laplace": {"orders": [1.1, 3, 100]},
    "iteration_bounds": {"lengths": [1, 3, 20]},
    "noisy_sgd": {"n": 10, "repeats": 50},
    "public_steps": {"n": 20, "dimensions": [4, 16], "repeats": 50},
    "fig7_2": {"epsilons": [0.01, 0.2, 3], "gaps": [0, 0.05, 0.3, 0.7, 1]},
    "fig7_3": {"epsilons": [0.1, 1]},
    "fig7_4": {"epsilons": [0.02, 0.1, 0.5]},
    **{name: {"epsilons": [0.01, 0.2, 3]} for name in ("fig7_5", "fig7_6", "fig7_7", "fig7_8")},
    "profile_costs": {"chain_lengths": [10, 100], "graphs": [10, 30], "categories": 5},
    "glm_bounds": {"precisions": [0.5], "weights": [0.3, 1], "sizes": [1, 2], "kl_orders": [1, 2, 10]},
    "glm_error": {"kl_orders": [1, 10], "epsilons": [0.1, 10], "repeats": 40},
    "glm_nll": {"kl_orders": [1, 10], "epsilons": [0.1, 10], "repeats": 40},
    "glm_splits": {"splits": 3, "repeats": 40},
    "rev_tails": {"dimensions": [1, 4], "deltas": [0.3, 0.01], "draws": 5000},
    "rev_gaussian": {"epsilons": [0.1, 1, 6], "deltas": [1e-5, 0.1, 0.9], "distances": [1, 2, 9, 85]},
    "rob_kl": {"concentrations": [1, 29], "sizes": [1, 4, 116], "changes": [0.26, 400], "least_probabilities": [0.2]},
    "rob_assumptions": {"concentrations": [0.5, 2, 8], "lipschitz_levels": [0.1, 1, 5], "trials": [2]},
    "rob_distinguish": {"concentrations": [1, 16], "posterior_draws": [1, 30], "runs": 100},
    "certified_levels": {"runs": 51},
    "rob_lemmas": {"cells": [2, 3], "sample_sizes": [1, 4, 16], "resolution": 4, "pairs": 60},
    "renyi_lemmas": {"orders": [1.01, 2, 15], "epsilons": [0.1, 3], "scales": [0.0003, 0.03], "sizes": [1, 10]},
    "conjugate_families": {"pairs": 50, "sizes": [2, 5]},
    "public_records": {"n": 20, "rho": [0.2, 0.5], "epsilons": [0.3], "sizes": [1, 8]},
    "divergence_facts": {"kernels": 200},
    "couplings": {"kernels": 40, "kl_orders": [1, 2, 20], "pairs": 100},
    "profile_lemmas": {"pairs": 40},
    "rob_session": {"outcomes": 4, "counts": [1, 2, 3], "repeats": 2000},
    "rev_localized": {"epsilons": [0.5, 2], "deltas": [1e-6, 0.1], "line_points": [3], "height": 3},
    "rev_blocks": {"n": 200, "block_counts": [1, 7, 31, 125], "repeats": 20},
    "rev_composition": {"counts": [1, 10, 300], "epsilons": [0.1, 1], "deltas": [0.01, 0.5], "distances": [1, 2, 50]},
    "rev_kmeans": {"datasets": ["abalone"], "n": 600, "block_counts": [11], "epsilons": [0.5, 5], "repeats": 2},
    "rev_conjugate": {"n": 200, "categories": 5, "update_counts": [4, 30], "epsilons": [0.3], "repeats": 3},
    "rev_sgd": {"epsilons": [1], "batches": [10], "epochs": 2, "repeats": 2, "interval": 0.01, "points": 16384},
    "rev_tuning": {"epsilons": [1], "gammas": [1e-6, 0.1], "orders": [2], "starts": 500, "n": 200, "repeats": 2},
    "rev_properties": {"denominators": [1, 2, 3], "kernels": 5},
    "rev_naive_bayes": {"datasets": ["abalone"], "n": 300, "epsilons": [0.1, 1], "repeats": 3},
    "rev_trees": {"datasets": ["abalone"], "n": 300, "epsilons": [0.1, 1], "trees": 2, "depth": 3, "repeats": 3},
    "rev_linear": {"n": 300, "dimension": 2, "epsilons": [0.1, 1], "repeats": 3},
    "rev_sensitivity": {"dimensions": [1, 2], "starts": 200},
    "rev_examples": {"n": 16, "subset_queries": [4], "noise_shares": [0, 0.1], "repeats": 2},
    "rev_learners": {
        "epsilons": [1, 10],
        "published_epsilons": [0.54],
        "trees": 2,
        "depth": 3,
        "rounds": 2,
        "epochs": 1,
        "sampling": 0.25,
        "interval": 0.01,
        "repeats": 3,
        "repeats_large": 2,
    },
    "rev_objective": {"n_lambdas": [1], "epsilons": [0.1]},
    "rev_svm": {"epsilons": [0.1, 10], "repeats": 3, "planted_rows": 200, "feature_counts": [10]},
}


def compute(experiment: str):
    """The golden table of one experiment."""
    parameters = config.resolve(project.experiment(experiment), SETTINGS.get(experiment, {}))
    return tables.make(experiment, parameters, SEED)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("experiments", nargs="*", metavar="ID")
    parser.add_argument("--to", type=Path, default=Path(__file__).parent, metavar="FOLDER")
    options = parser.parse_args()
    for name in options.experiments or SETTINGS:
        files.write_table(options.to / f"{name}.csv", compute(name))
