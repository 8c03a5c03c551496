"""Every learner of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.learners import (
    descent_audit_cases,
    k_means_audit_cases,
    regression_audit_cases,
    table_audit_cases,
    tuning_audit_cases,
)
from dpsampling.learners import perturbation_audit_cases as perturbed
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
    Entry(
        "functional-linear", "DP review 2019 section 5.6", FunctionalLinear, audit_cases=regression_audit_cases.linear
    ),
    Entry("functional-logistic", "Zhang et al. 2012", FunctionalLogistic, audit_cases=regression_audit_cases.logistic),
    Entry("ada-ssp", "Wang 2018", AdaSSP, audit_cases=partial(regression_audit_cases.ada_ssp, "exact")),
    Entry("ada-ssp-printed", "Wang 2018", AdaSSP, audit_cases=partial(regression_audit_cases.ada_ssp, "printed")),
    Entry("naive-bayes", "DP review 2019 section 5.8", NaiveBayes, audit_cases=table_audit_cases.whole_tables),
    Entry(
        "naive-bayes-gaussian",
        "ours, after DP review 2019 section 5.8",
        GaussianNaiveBayes,
        audit_cases=table_audit_cases.gaussian_tables,
    ),
    Entry("random-trees", "DP review 2019 section 5.3", RandomTrees, audit_cases=table_audit_cases.trees),
    Entry("boosted-bins", "Nori et al. 2021", BoostedBins, audit_cases=table_audit_cases.boosted),
    Entry("output-perturbation", "DP review 2019 section 5.7", OutputPerturbation, audit_cases=perturbed.output),
    Entry(
        "output-perturbation-gaussian",
        "Balle and Wang 2018",
        GaussianOutputPerturbation,
        audit_cases=perturbed.gaussian_output,
    ),
    Entry(
        "objective-perturbation-printed",
        "DP review 2019 section 5.7",
        ObjectivePerturbation,
        audit_cases=partial(perturbed.objective, "2011"),
    ),
    Entry(
        "objective-perturbation",
        "DP review 2019 section 5.7",
        ObjectivePerturbation,
        audit_cases=partial(perturbed.objective, "tight"),
    ),
    Entry("block-k-means", "DP review 2019 section 5.5", BlockKMeans, audit_cases=k_means_audit_cases.block_means),
    Entry("smooth-k-means", "DP review 2019 section 5.5", BlockKMeans, audit_cases=k_means_audit_cases.block_medians),
    Entry(
        "noisy-lloyd", "Blum, Dwork, McSherry and Nissim 2005", NoisyLloyd, audit_cases=k_means_audit_cases.noisy_lloyd
    ),
    Entry("noisy-dirichlet", "DP review 2019 section 5.1", NoisyDirichlet, audit_cases=k_means_audit_cases.posteriors),
    Entry(
        "gradient-descent", "DP review 2019 section 5.9", GradientDescent, audit_cases=descent_audit_cases.audit_cases
    ),
    Entry("tuned", "Papernot and Steinke 2022", Tuned, audit_cases=tuning_audit_cases.audit_cases),
)
