"""Every learner of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.learners import descent_audit_cases as descent
from dpsampling.learners import k_means_audit_cases as k_means
from dpsampling.learners import perturbation_audit_cases as perturbed
from dpsampling.learners import regression_audit_cases as regression
from dpsampling.learners import table_audit_cases as tables
from dpsampling.learners import tuning_audit_cases as tuning
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
from dpsampling.mechanisms.entry import entries

REVIEW = "DP review 2019 section"

ENTRIES = entries(
    ("functional-linear", f"{REVIEW} 5.6", FunctionalLinear, regression.linear),
    ("functional-logistic", "Zhang et al. 2012", FunctionalLogistic, regression.logistic),
    ("ada-ssp", "Wang 2018", AdaSSP, partial(regression.ada_ssp, "exact")),
    ("ada-ssp-printed", "Wang 2018", AdaSSP, partial(regression.ada_ssp, "printed")),
    ("naive-bayes", f"{REVIEW} 5.8", NaiveBayes, tables.whole_tables),
    ("naive-bayes-gaussian", f"ours, after {REVIEW} 5.8", GaussianNaiveBayes, tables.gaussian_tables),
    ("random-trees", f"{REVIEW} 5.3", RandomTrees, tables.trees),
    ("boosted-bins", "Nori et al. 2021", BoostedBins, tables.boosted),
    ("output-perturbation", f"{REVIEW} 5.7", OutputPerturbation, perturbed.output),
    ("output-perturbation-gaussian", "Balle and Wang 2018", GaussianOutputPerturbation, perturbed.gaussian_output),
    ("objective-perturbation-printed", f"{REVIEW} 5.7", ObjectivePerturbation, partial(perturbed.objective, "2011")),
    ("objective-perturbation", f"{REVIEW} 5.7", ObjectivePerturbation, partial(perturbed.objective, "tight")),
    ("block-k-means", f"{REVIEW} 5.5", BlockKMeans, k_means.block_means),
    ("smooth-k-means", f"{REVIEW} 5.5", BlockKMeans, k_means.block_medians),
    ("noisy-lloyd", "Blum, Dwork, McSherry and Nissim 2005", NoisyLloyd, k_means.noisy_lloyd),
    ("noisy-dirichlet", f"{REVIEW} 5.1", NoisyDirichlet, k_means.posteriors),
    ("gradient-descent", f"{REVIEW} 5.9", GradientDescent, descent.audit_cases),
    ("tuned", "Papernot and Steinke 2022", Tuned, tuning.audit_cases),
)
