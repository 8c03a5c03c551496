"""Every learner of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.learners import perturbation_exposures as perturbed
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.learners.output_perturbation import GaussianOutputPerturbation, OutputPerturbation
from dpsampling.mechanisms.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "output-perturbation",
        "noise on the minimiser",
        "vermilion",
        "DP review 2019 section 5.7",
        OutputPerturbation,
        exposed=perturbed.output,
    ),
    Entry(
        "output-perturbation-gaussian",
        "Gaussian noise on the minimiser",
        "orange",
        "Balle and Wang 2018",
        GaussianOutputPerturbation,
        exposed=perturbed.gaussian_output,
    ),
    Entry(
        "objective-perturbation-printed",
        "noise on the objective (2011)",
        "sky",
        "DP review 2019 section 5.7",
        ObjectivePerturbation,
        exposed=partial(perturbed.objective, "2011"),
    ),
    Entry(
        "objective-perturbation",
        "noise on the objective (tight)",
        "blue",
        "DP review 2019 section 5.7",
        ObjectivePerturbation,
        exposed=partial(perturbed.objective, "tight"),
    ),
)
