"""Every learner of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.learners import (
    descent_exposures,
    k_means_exposures,
    regression_exposures,
    table_exposures,
    tuning_exposures,
)
from dpsampling.learners import perturbation_exposures as perturbed
from dpsampling.learners.ada_ssp import AdaSSP
from dpsampling.learners.block_k_means import BlockKMeans
from dpsampling.learners.boosted_bins import BoostedBins
from dpsampling.learners.conjugate import NoisyDirichlet
from dpsampling.learners.functional import FunctionalLinear, FunctionalLogistic
from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.naive_bayes import GaussianNaiveBayes, NaiveBayes
from dpsampling.learners.noisy_lloyd import NoisyLloyd
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.learners.output_perturbation import GaussianOutputPerturbation, OutputPerturbation
from dpsampling.learners.random_trees import RandomTrees
from dpsampling.learners.tuning import Tuned
from dpsampling.mechanisms.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry("functional-linear", "DP review 2019 section 5.6", FunctionalLinear, exposed=regression_exposures.linear),
    Entry("functional-logistic", "Zhang et al. 2012", FunctionalLogistic, exposed=regression_exposures.logistic),
    Entry("ada-ssp", "Wang 2018", AdaSSP, exposed=partial(regression_exposures.ada_ssp, "exact")),
    Entry("ada-ssp-printed", "Wang 2018", AdaSSP, exposed=partial(regression_exposures.ada_ssp, "printed")),
    Entry("naive-bayes", "DP review 2019 section 5.8", NaiveBayes, exposed=table_exposures.whole_tables),
    Entry(
        "naive-bayes-gaussian",
        "ours, after DP review 2019 section 5.8",
        GaussianNaiveBayes,
        exposed=table_exposures.gaussian_tables,
    ),
    Entry("random-trees", "DP review 2019 section 5.3", RandomTrees, exposed=table_exposures.trees),
    Entry("boosted-bins", "Nori et al. 2021", BoostedBins, exposed=table_exposures.boosted),
    Entry("output-perturbation", "DP review 2019 section 5.7", OutputPerturbation, exposed=perturbed.output),
    Entry(
        "output-perturbation-gaussian",
        "Balle and Wang 2018",
        GaussianOutputPerturbation,
        exposed=perturbed.gaussian_output,
    ),
    Entry(
        "objective-perturbation-printed",
        "DP review 2019 section 5.7",
        ObjectivePerturbation,
        exposed=partial(perturbed.objective, "2011"),
    ),
    Entry(
        "objective-perturbation",
        "DP review 2019 section 5.7",
        ObjectivePerturbation,
        exposed=partial(perturbed.objective, "tight"),
    ),
    Entry("block-k-means", "DP review 2019 section 5.5", BlockKMeans, exposed=k_means_exposures.block_means),
    Entry("smooth-k-means", "DP review 2019 section 5.5", BlockKMeans, exposed=k_means_exposures.block_medians),
    Entry("noisy-lloyd", "Blum, Dwork, McSherry and Nissim 2005", NoisyLloyd, exposed=k_means_exposures.noisy_lloyd),
    Entry("noisy-dirichlet", "DP review 2019 section 5.1", NoisyDirichlet, exposed=k_means_exposures.posteriors),
    Entry("gradient-descent", "DP review 2019 section 5.9", GradientDescent, exposed=descent_exposures.exposed),
    Entry("tuned", "Papernot and Steinke 2022", Tuned, exposed=tuning_exposures.exposed),
)
