"""Every release replayed on neighbouring data sets with its random bits frozen: nothing but its numbers may differ.

Whoever adds a class or a function that releases and no case here makes `test_every_release_has_a_case` fail.
"""

import importlib
import inspect
import io
import pkgutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import dpsampling
from dpsampling.amplification.noisy_sgd import NoisySGD
from dpsampling.audit import registry
from dpsampling.cli import main
from dpsampling.datasets.recipe import Category, Number
from dpsampling.errors import InputError
from dpsampling.event_logs import exact_ops
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.mechanisms import NoisyCounts
from dpsampling.event_logs.mechanisms import OnePosteriorSample as OPSOfLogs
from dpsampling.foundations.finite_metric import EXAMPLE_2_11, on_a_line
from dpsampling.foundations.localized_gaussian import LocalizedGaussian
from dpsampling.foundations.noise import GaussianMechanism, LaplaceMechanism
from dpsampling.foundations.query_session import QuerySession
from dpsampling.foundations.randomized_response import RandomizedChoice, RandomizedResponse
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockMedian, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace
from dpsampling.learners.ada_ssp import AdaSSP
from dpsampling.learners.block_k_means import BlockKMeans
from dpsampling.learners.boosted_bins import BoostedBins, Steps
from dpsampling.learners.columns import Columns
from dpsampling.learners.conjugate import NoisyDirichlet
from dpsampling.learners.functional import FunctionalLinear, FunctionalLogistic
from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.logistic import mechanisms as classifiers
from dpsampling.learners.logistic.mechanisms import DirectClassifier, Model, TruncatedClassifier
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.losses import HuberHinge, Logistic
from dpsampling.learners.naive_bayes import GaussianNaiveBayes, NaiveBayes
from dpsampling.learners.noise import Learner
from dpsampling.learners.noisy_lloyd import NoisyLloyd
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.learners.output_perturbation import GaussianOutputPerturbation, OutputPerturbation
from dpsampling.learners.random_trees import RandomTrees
from dpsampling.learners.tuning import Tuned
from dpsampling.mechanisms import registry as mechanisms
from dpsampling.mechanisms.entry import Setting
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.registry import ENTRIES as FAMILIES
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.markov_chains import AnnealedImportanceSampler, MetropolisChain
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DirectPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.exact import bits, replay
from dpsampling.numerics.exact.data_dependent import DATA_DEPENDENT, data_dependent
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.replay import LIBRARY, findings
from dpsampling.privacy.guarantee import Pure, Relation
from dpsampling.profiles.graph import categorical, chain
from dpsampling.profiles.solvers import MECHANISMS, smooth_categorical

SIZES = ((), (1,), (5,))
BETA, PRIOR, N = BetaBernoulli(), (6.0, 18.0), 100
SUMS = [(0, 1), (99, 100), (32, 33), (49, 50)]  # neighbours at the ends and in the middle
COUNTS = [([s, N - s], [t, N - t]) for s, t in SUMS]
CATEGORIES = [([0, 30, 70], [1, 30, 69]), ([100, 0, 0], [99, 1, 0]), ([30, 20, 50], [30, 21, 49])]
PAIRS = {
    "beta-bernoulli": SUMS,
    "gaussian-mean": [(0.0, 1.0), (-100.0, -98.0), (100.0, 98.5), (20.25, 21.125)],
    "dirichlet-categorical": [((30, 20), (31, 19)), ((0, 0), (1, 0)), ((100, 0), (99, 1)), ((0, 100), (0, 99))],
}


def spread(pairs, *releases):
    """Each release of each pair of arguments."""
    return [(partial(release, *a), partial(release, *b)) for release in releases for a, b in pairs]


def sizes(pairs, *releases, some=SIZES):
    """Each release of each pair of data, in each size."""
    return spread([((p, *size), (q, *size)) for p, q in pairs for size in some], *releases)


def once(pairs, *releases):
    return sizes(pairs, *releases, some=((),))


def query(values):
    return StatisticalQuery(ConcentratedPosterior(BETA, PRIOR, 4, 0.3)).answer(values)


def noise(counts, features=2):
    return NoisyCounts(1.0).release(np.array(counts, dtype=np.int64), features)


def profile_release(solve):
    mechanism = solve(categorical([[1, 0, 0], [0, 1, 0], [0.2, 0.5, 0.3]], chain(3)), 0.5)
    return lambda pairs: mechanism.release(*np.transpose(pairs))


def sgd(records):
    mechanism = NoisySGD(lipschitz=1.0, smoothness=1.0, convexity=0.1, rate=0.5, sigma=2.0)
    data = [np.array(r) for r in records]
    return mechanism.release(np.zeros(2), data, lambda x, r: x - r, lambda x: np.clip(x, -1, 1))


def descended(data):
    return GradientDescent(1.0, 2, 0.5, 3, 1.0, accounting="renyi").release(*data)


def tuned(data):
    learner = GradientDescent(1.0, 2, 0.5, 3, 1.0, accounting="renyi")
    return Tuned((learner, replace(learner, clip=0.1)), 0.5, 1.0).release(*data)


def cells(*moves):
    """A log of two regions, three months and features of 2 and 3 outcomes; a record's move is to another cell too."""
    counts = np.zeros((2, 3, 5), dtype=np.int64)
    for region, month, first, second in [(0, 0, 0, 0), (0, 1, 1, 2), (1, 2, 0, 1), *moves]:
        counts[region, month, [first, 2 + second]] += 1
    return EventCounts("a", "A", "file", ("N", "S"), ("1", "2", "3"), ("f", "g"), (("x", "y"), ("u", "v", "w")), counts)


def one_state(log):
    return exact_ops.release(log, OPSOfLogs(1.0, 10.0), 1)


def three_states(log):
    return exact_ops.release(log, OPSOfLogs(1.0, 10.0), 3, iterations=2)


def classified(mechanism, replaced):
    """Four records in a plane, the last of which is replaced."""
    features = [[1.0, 0.0], [0.6, 0.8], [-0.3, 0.2], [0.0, -1.0]]
    first = Records(features, [1, 0, 1, 1])
    pairs = [(first, Records([*features[:3], other], [1, 0, 1, label])) for other, label in replaced]
    return sizes(pairs, mechanism.release, some=((), (2,)))


def asked(mechanism):
    """Two queries of one session: θ, and a bit of it."""

    def session(data):
        queries = QuerySession(mechanism, data, Pure(10.0))
        return queries.ask(lambda theta: theta), queries.ask(lambda theta: FixedPoint.of(theta.integers > 0, 0))

    return session


TABLE = Columns((Number("age", 0.0, 10.0), Category("sort", ("a", "b", "c"))), 6)


def tabled(learner):
    """Four rows of a number and a category, the last of which is replaced."""
    cells, labels = [[1.0, 0.0], [9.5, 2.0], [-3.0, 1.0], [4.0, 1.0]], [1, 0, 1, 1]
    replaced = [([10.0, 2.0], 0), ([4.0, 1.0], 0), ([0.0, 0.0], 1)]
    pairs = [((cells, labels), ([*cells[:3], other], [*labels[:3], label])) for other, label in replaced]
    return spread(pairs, learner.release)


def learnt(learner, replaced):
    """Four rows in a plane, the last of which is replaced."""
    rows, labels = [[1.0, 0.0], [0.6, 0.8], [-0.3, 0.2]], [1, 0, 1]
    pairs = [(([*rows, [0.0, -1.0]], [*labels, 1]), ([*rows, row], [*labels, y])) for row, y in replaced]
    return spread(pairs, learner.release)


CLASSIFIERS = [
    DirectClassifier.of(Model(4, 0.3)),
    classifiers.ConcentratedClassifier.calibrate(Model(4, 0.3), order=2.0, epsilon=0.5),
    classifiers.DiffusedClassifier.calibrate(Model(4, 0.3), order=2.0, epsilon=0.5),
    TruncatedClassifier.calibrate(Model(4, 0.3), epsilon=1.0),  # whose ball binds
    TruncatedClassifier.calibrate(Model(4, 0.05), epsilon=30.0),
]
REPLACED = [([0.0, -1.0], 0), ([-0.6, 0.8], 1), ([0.0, 0.0], 0)]
MOVES = [(cells((0, 0, 0, 0)), cells((1, 1, 1, 2))), (cells((0, 2, 0, 1)), cells((0, 2, 1, 1)))]
LAPLACE = [LaplaceStatistic(BETA, PRIOR, N, 0.5, p, k) for p in ("zero", "range") for k in ("continuous", "discrete")]
TABLES = [([[0, 3], [2, 1]], [[1, 2], [2, 1]]), (np.zeros((40, 5)), np.eye(40, 5)), ([[9, 0]], [[8, 1]])]

CLASSIFIED = [
    (([[1.0, 0.0], [0.6, 0.8]], [1, 0]), ([[1.0, 0.0], [0.0, -9.0]], [1, 1])),
    (([[0.5, 0.1]], [0]), ([[0.0, 0.0]], [1])),
    (([[0.5, 0.1], [0.2, 0.2]], [0, 1]), ([[0.5, 0.1]], [0])),  # a record less
]

SMOOTH = [
    SmoothCauchy.calibrate(epsilon=1.0),
    SmoothLaplace.calibrate(epsilon=1.0, delta=1e-5),
    SmoothGaussian.calibrate(epsilon=1.0, delta=1e-5),
]
RESULTS = [([0, 0, 1], [0, 1, 1]), ([0.2, 0.5, 0.7], [0.2, 0.9, 0.7]), ([0.5, 0.5, 0.5], [0.5, 0.5, np.nan])]

ROWS = [[0.6, 0.8], [0.0, -1.0], [0.3, 0.1]]
OUTCOMES = [
    (([*ROWS, [0.0, 0.0]], [1, -2, 0.5, 0]), ([*ROWS, [3.0, -4.0]], [1, -2, 0.5, 9])),
    ((ROWS, [1, 1, 1]), (ROWS[:2], [1, 1])),
]
LABELLED = [((ROWS, [1, 0, 1]), (ROWS, [1, 0, 0])), ((ROWS, [1, 1, 1]), (ROWS[:2], [1, 1]))]
STARTS = np.array([[0.5, 0.0], [-0.5, 0.1]])
POINTS = [[0.4, 0.1], [-0.3, 0.9], [0.0, -0.2], [0.7, 0.7]]
MOVED = [(POINTS, [*POINTS[:3], other]) for other in ([0.7, 0.6], [-1.0, 0.0], [1e300, -2.0])]
BLOCKS = [
    BlockKMeans.mean(STARTS, bound=1.0, blocks=3, epsilon=0.5),
    BlockKMeans.smooth(STARTS, bound=1.0, blocks=3, epsilon=0.5, delta=1e-6),
]
ARRIVALS = [(([0, 1, 1, 2], [0, 0, 3, 4]), ([0, 1, 1, 2], [0, 0, 3, 0])), (([0], [0]), ([2], [0]))]
UPDATES = [
    NoisyDirichlet.at_the_end(np.ones(3), updates=5, epsilon=0.5),
    NoisyDirichlet.at_each_update(np.ones(3), updates=5, epsilon=0.5),
    NoisyDirichlet.by_tree(np.ones(3), updates=5, epsilon=0.5, fan_out=2),
]

OPS = [OnePosteriorSample.calibrate(BETA, PRIOR, N, 0.05, epsilon=epsilon) for epsilon in (0.1, 1.0, 1e3)]
ONE_SAMPLE = [OneCategoricalSample.calibrate([1.0, 0.5, 2.0], 0.01, epsilon=epsilon) for epsilon in (0.1, 1.0, 1e3)]
STATISTIC, MEAN = GaussianStatistic(BETA, PRIOR, N, 3.0), StatisticalQuery(ConcentratedPosterior(BETA, PRIOR, N, 0.3))
ANNEALED = AnnealedImportanceSampler((1.0, 2.0), N, 0.05, (1.0, 0.5, 0.1), 5, 1.0)
POINTS_AND_PRIORS = [((0.2, 0.8), (1.0, 1.0)), ((0.05, 0.5, 0.6, 0.95), (1.0, 1e-9, 3.0, 2.0))]
SOLVERS = [solve for solve in (*MECHANISMS.values(), smooth_categorical) if "one_bit" not in solve.__name__]
RESPONSES = [RandomizedResponse.symmetric(1.0), RandomizedResponse(0.5, 0.1), RandomizedResponse(1 / 3, 0.9)]
NUMBERS = [([3, 4], [4, 4]), ([0, 0], [0, 1]), ([0.5, -7], [0.25, -7.5])]
WIDTHS = [((0.0, 1.0), (1.0, 1.05)), ((0.3, 2.0), (0.3, 2.0)), ((-5.5, 1e-3), (-5.5005, 1.04e-3))]
PERTURBED = [
    *((OutputPerturbation(loss, 4, 2, 1.0, 0.1, 1.0), REPLACED) for loss in (Logistic(), HuberHinge(0.5))),
    (GaussianOutputPerturbation(HuberHinge(0.5), 4, 2, 1.0, 0.1, 1.0, 1e-6), [*REPLACED, ([9.0, 3.0], 0)]),
    (ObjectivePerturbation(Logistic(), 4, 2, 1.0, 0.1, 1.0, "tight"), REPLACED),
    (ObjectivePerturbation(HuberHinge(0.5), 4, 2, 1.0, 0.1, 1.0, "2011"), REPLACED),
]
VARIANTS = [("exact", Relation.REPLACE_ONE), ("printed", Relation.ADD_OR_REMOVE_ONE)]

CASES = {
    "WeightedPosterior.release": sizes(SUMS, DirectPosterior(BETA, PRIOR, N).release),
    "GaussianStatistic.release": sizes(SUMS, STATISTIC.release),
    "GaussianStatistic.release_statistic": sizes(SUMS, STATISTIC.release_statistic),
    "UnclippedStatistic.release": [],  # among those that the registry builds
    "LaplaceCounts.release": sizes(
        [*COUNTS, *CATEGORIES],
        *(LaplaceCounts(0.5, p, N, kind).release for p in ("zero", "range") for kind in ("continuous", "discrete")),
    ),
    "LaplaceStatistic.release": sizes(SUMS, *(statistic.release for statistic in LAPLACE)),
    "LaplaceStatistic.release_counts": sizes(SUMS, *(statistic.release_counts for statistic in LAPLACE)),
    "OnePosteriorSample.release": sizes(SUMS, *(ops.release for ops in OPS)),
    "OneCategoricalSample.release": sizes(CATEGORIES, *(ops.release for ops in ONE_SAMPLE)),
    "ExponentialMechanism.release": sizes(
        [([0, 1, 2], [1, 0, 2]), ([0, 0, 0], [1, -1, 0]), ([5.5, 5], [5, 5.5])], ExponentialMechanism(1.0, 1.0).release
    ),
    "FinitePosterior.release": sizes(COUNTS, *(FinitePosterior.coins(*coins).release for coins in POINTS_AND_PRIORS)),
    "MetropolisChain.release": sizes(
        SUMS, MetropolisChain((1.0, 2.0), N, 0.05, 1.0, 0.3, 4).release, some=((1,), (3,))
    ),
    "AnnealedImportanceSampler.release": once(SUMS, ANNEALED.release),
    "StatisticalQuery.release": sizes(SUMS, MEAN.release),
    "StatisticalQuery.answer": once([([0, 0, 0, 0.1], [1, 0, 0, 0.1]), ([1, 1, 0.5, 1], [1, 1, 0, 1])], query),
    "ProfileMechanism.release": once(
        [([(0, 0)], [(1, 1)]), ([(0, 0), (2, 2)], [(0, 0), (1, 0)])],
        *(profile_release(solve) for solve in SOLVERS if solve.__name__ != "cluster"),
    ),
    "NoisyCounts.release": once(TABLES, noise),
    "exact_ops.release": once(MOVES, one_state, three_states),
    "PrivatePosterior.release": [case for one in CLASSIFIERS for case in classified(one, REPLACED)],
    "QuerySession.ask": [*once(SUMS, asked(OPS[1])), *once(CATEGORIES, asked(ONE_SAMPLE[1]))],
    "RandomizedResponse.release": sizes([([0], [1]), ([0, 1, 1, 0], [0, 1, 0, 0])], *(r.release for r in RESPONSES)),
    "RandomizedChoice.release": sizes(
        [([0], [3]), ([0, 1, 2], [0, 1, 3])], *(RandomizedChoice(epsilon, 4).release for epsilon in (0.1, 50.0))
    ),
    "LaplaceMechanism.release": sizes(NUMBERS, LaplaceMechanism(1.0, 0.5, 2).release),
    "GaussianMechanism.release": sizes(NUMBERS, GaussianMechanism(1.0, 2.0, 2).release),
    "LocalizedGaussian.release": sizes(
        [(0, 1), (1, 2), (3, 2)], LocalizedGaussian(on_a_line(EXAMPLE_2_11), 0.5, 1e-5).release
    ),
    "SmoothNoise.release": spread(
        [((*p, *size), (*q, *size)) for p, q in WIDTHS for size in SIZES], *(noise.release for noise in SMOOTH)
    ),
    "BlockMean.release": sizes(RESULTS, BlockMean(0.0, 1.0, 3, 0.5).release),
    "BlockMedian.release": sizes(RESULTS, BlockMedian(0.0, 1.0, 3, 0.5).release),
    "BlockSmoothMedian.release": sizes(RESULTS, *(BlockSmoothMedian(0.0, 1.0, 3, noise).release for noise in SMOOTH)),
    "CountingBayes.release": [*tabled(NaiveBayes(TABLE, 2, 1.0)), *tabled(GaussianNaiveBayes(TABLE, 2, 1.0, 1e-5))],
    "RandomTrees.release": tabled(RandomTrees(TABLE, 2, 1.0, seed=3, trees=2, depth=2)),
    "BoostedBins.release": tabled(BoostedBins(TABLE, 1.0, 1e-5, Steps(seed=3, rounds=2))),
    "PerturbedClassifier.release": [case for learner, pairs in PERTURBED for case in learnt(learner, pairs)],
    "BlockKMeans.release": once(MOVED, *(means.release for means in BLOCKS)),
    "NoisyLloyd.release": once(MOVED, *(NoisyLloyd(STARTS, 1.0, 0.5, delta).release for delta in (0.0, 1e-5))),
    "NoisyDirichlet.release": spread(ARRIVALS, *(dirichlet.release for dirichlet in UPDATES)),
    "GradientDescent.release": once(CLASSIFIED, descended),
    "Tuned.release": once(CLASSIFIED, tuned),
    "NoisySGD.release": once([([(0, 0), (1, 1)], [(9, -9), (1, 1)]), ([(1, 1)], [(0, np.inf)])], sgd),
    "FunctionalMechanism.release": [
        *spread(OUTCOMES, FunctionalLinear(1.0, 1.0, outcome_bound=2.0).release),
        *spread(LABELLED, FunctionalLogistic(0.1, 1.0).release),
    ],
    "AdaSSP.release": spread(OUTCOMES, *(AdaSSP(1.0, 1e-5, 1.0, 2.0, *variant).release for variant in VARIANTS)),
}
# A command, which has a test of its own, and protocols.
ELSEWHERE = {"command_line.release", "Mechanism.release", "Released.release", "Learner.release"}


# -- all of them -------------------------------------------------------------------------------------------------------


ROOMS = ("mechanisms", "profiles", "event_logs", "amplification", "foundations", "learners")


def releasing():
    """Every method and function of the rooms whose business is a release."""
    for room in ROOMS:
        package = importlib.import_module(f"dpsampling.{room}")
        for told in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            module = importlib.import_module(told.name)
            for name, value in vars(module).items():
                if getattr(value, "__module__", None) != module.__name__:
                    continue
                if inspect.isclass(value):
                    yield from (f"{name}.{method}" for method, f in vars(value).items() if _is_release(method, f))
                    if Learner in value.__bases__:  # whose release it shares
                        yield f"{name}.release"
                elif _is_release(name, value):
                    yield f"{module.__name__.rpartition('.')[2]}.{name}"


def _is_release(name, value):
    return inspect.isfunction(value) and (name in {"release", "answer", "ask"} or name.startswith("release_"))


def test_every_release_has_a_case():
    assert set(releasing()) == {*CASES, *ELSEWHERE}


def test_every_mechanism_of_the_registry_that_releases_has_a_case():
    for entry in registry.ENTRIES:
        if hasattr(entry.mechanism, "release"):
            owner = next(c for c in entry.mechanism.__mro__ if "release" in vars(c) or Learner in c.__bases__)
            assert f"{owner.__name__}.release" in CASES, entry.name


@pytest.mark.parametrize("name", [name for name, cases in CASES.items() if cases])
def test_a_release_shows_nothing_but_its_numbers(name):
    for number, (first, second) in enumerate(CASES[name]):
        assert findings(first, second, seed=number) == []
        outcome = replay.record(first, number).outcome
        # An error on both would be alike as well.
        assert not (isinstance(outcome, tuple) and str(outcome[0]).endswith("Error")), outcome


BUILT = [(family, entry) for family in FAMILIES for entry in mechanisms.ENTRIES if entry.serves(family.name)]


@pytest.mark.parametrize(("family", "entry"), BUILT, ids=lambda x: x.name)
def test_whatever_the_registry_builds_shows_nothing_but_its_numbers(family, entry):
    (mechanism,) = entry.build(Setting(family.family, family.prior, family.records), 2.0, [0.5])
    for number, (first, second) in enumerate(sizes(PAIRS[family.name], mechanism.release)):
        assert findings(first, second, seed=number) == []
        assert replay.record(first, number).outcome[0] == "fixed point"


# -- commands ----------------------------------------------------------------------------------------------------------


def quiet(*arguments):
    """A command's exit code, in letters: numbers are not compared."""
    return str(main([str(argument) for argument in arguments]))


PROFILES = "profile,tea,coffee,water\nann,.2,.3,.5\nbob,.4,.3,.3\ncy,1,0,0\n"


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profiles")
    (folder / "P.csv").write_text(PROFILES, encoding="utf-8")
    (folder / "E.csv").write_text("from,to\nann,bob\nbob,cy\n", encoding="utf-8")
    files = ["--profiles", folder / "P.csv", "--edges", folder / "E.csv", "--out", folder / "m.json"]
    assert quiet("profiles", "solve", *files, "--epsilon", "0.5") == "0"
    return folder


@pytest.mark.parametrize(
    ("one", "other"), [("ann,tea ann,tea ann,tea", "ann,tea cy,tea bob,water"), ("cy,tea", "ann,coffee")]
)
def test_profiles_release(solved, one, other):
    """To a file; on standard output the released numbers are the message."""

    def released(lines):
        def run():
            (solved / "stream.csv").write_text("\n".join(["profile,observation", *lines.split(), ""]), encoding="utf-8")
            options = ["--observations", solved / "stream.csv", "--out", solved / "out.csv"]
            return quiet("profiles", "release", "--mechanism", solved / "m.json", *options)

        return run

    assert findings(released(one), released(other)) == []
    assert (solved / "out.csv").read_text(encoding="utf-8").count("\n") == len(one.split()) + 1


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The counts of a log, and those of a neighbour: one record has moved to another outcome and another cell."""
    folder = tmp_path_factory.mktemp("log")
    for command in (
        "simulate afghanistan --rows 0.01 --seed 5 --out {}/raw.csv --planted {}/planted.csv",
        "count afghanistan --raw {}/raw.csv --origin simulated --out {}/counts.npz --report {}/told.json",
    ):
        assert quiet("warlogs", *command.replace("{}", str(folder)).split()) == "0"
    return folder


def neighbour(log):
    """The same log with one record less in one cell and one more in another, in other outcomes."""
    from dataclasses import replace

    from dpsampling.event_logs import counts

    one = counts.load(log / "counts.npz")
    moved = one.counts.copy()
    cells = moved.reshape(-1, moved.shape[-1])
    full, empty = int(np.argmax(cells.sum(axis=1))), int(np.argmin(cells.sum(axis=1)))
    for start, end in zip(one.offsets[:-1], one.offsets[1:], strict=True):
        taken = start + int(np.argmax(cells[full, start:end]))
        cells[full, taken] -= 1
        cells[empty, end - 1] += 1
    return one, replace(one, counts=moved)


@pytest.mark.parametrize(
    "options",
    [
        "--mechanism clip --states 1",
        pytest.param("--mechanism clip", marks=pytest.mark.slow),
        pytest.param("--mechanism noise-aware", marks=pytest.mark.slow),
    ],
)
def test_warlogs_model(log, options, tmp_path):
    from dpsampling.event_logs import counts

    def released(which):
        def run():
            counts.put(tmp_path / "counts.npz", which)
            for stale in ("ledger", "model.json", "model.noisy.npz"):
                (tmp_path / stale).unlink(missing_ok=True)
            arguments = ["--counts", tmp_path / "counts.npz", "--ledger", tmp_path / "ledger", *options.split()]
            return quiet(
                "warlogs", "model", *arguments, "--epsilon", "2", "--budget", "5", "--out", tmp_path / "model.json"
            )

        return run

    one, other = neighbour(log)
    assert findings(released(one), released(other)) == []
    assert (tmp_path / "model.noisy.npz").exists()


# -- planted leaks -----------------------------------------------------------------------------------------------------

PLANTED = """
def one_line(s):
    return bits.fresh(8) if s > 5 else bits.fresh(8)

def extra_read(s):
    for _ in range(s):
        bits.fresh(8)

def longer_read(s):
    return len(bits.fresh(8 * s))

def message(s):
    print("released", s)

def warning(s):
    print("many" * (s > 5), file=sys.stderr)

def error(s):
    raise InputError(f"there are {s} records.")

def only_one_errs(s):
    1 // (6 - s)

def file_name(s):
    with open(folder / f"release-{s}.json", "w") as out:
        out.write("")

def shape(s):
    return np.zeros(s)

def exponent(s):
    return FixedPoint.of([1, 2], s)

def early_return(s):
    if s > 5:
        return "done"
    for _ in range(3):
        bits.fresh(1)
    return "done"

def helper_that_is_skipped(s):
    s > 5 and nothing()
    return "done"

def nothing():
    return None

def declared_elsewhere(s):
    shown(s)
    return nothing() if s > 5 else "done"

@data_dependent("what is shown is public")
def shown(s):
    return nothing() if s > 5 else 1

def fair(s):
    shown(s)
    return FixedPoint.of([s, bits.fresh(4)[0]], 3)
"""


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A module of leaks that stands in the library as far as a record can see."""
    monkeypatch.setattr(replay, "DATA_DEPENDENT", DATA_DEPENDENT.copy())
    names = {"bits": bits, "sys": sys, "np": np, "InputError": InputError, "FixedPoint": FixedPoint, "folder": tmp_path}

    def mark(reason):
        return lambda function: (replay.DATA_DEPENDENT.__setitem__(function.__code__, reason), function)[1]

    names["data_dependent"] = mark
    exec(compile(PLANTED, str(Path(LIBRARY) / "planted.py"), "exec"), names)
    return names


@pytest.mark.parametrize(
    ("leak", "words"),
    [
        ("one_line", "the course differs: planted.py:3"),
        ("extra_read", "the course differs: planted.py:"),
        ("longer_read", "random bytes differ: 40 and 48"),
        ("message", "messages differ: 'released 5"),
        ("warning", "messages differ: '"),
        ("error", "what comes back differs: ('InputError', 'there are 5 records.')"),
        ("only_one_errs", "ZeroDivisionError"),
        ("file_name", "release-5.json"),
        ("shape", "what comes back differs: ('array', 'float64', (5,))"),
        ("exponent", "what comes back differs: ('fixed point', (2,), 5)"),
        ("early_return", "the course differs: planted.py:"),
        ("helper_that_is_skipped", "the course differs: planted.py:"),
        ("declared_elsewhere", "the course differs: planted.py:"),
    ],
)
def test_a_leak_is_found_and_named(planted, leak, words):
    found = findings(lambda: planted[leak](5), lambda: planted[leak](6))
    assert any(words in finding for finding in found), found


def test_a_leak_in_an_undeclared_function_is_named_by_its_line(planted):
    course, *_ = findings(lambda: planted["declared_elsewhere"](5), lambda: planted["declared_elsewhere"](6))
    line = PLANTED.splitlines().index('    return nothing() if s > 5 else "done"') + 1
    assert f"planted.py:{line}" in course


def test_what_is_declared_may_differ_and_so_may_the_numbers(planted):
    assert findings(lambda: planted["fair"](5), lambda: planted["fair"](6)) == []


def test_what_does_not_repeat_is_said_to_be_so(planted):
    state = io.StringIO()

    def drifting():
        state.write("x")
        print(state.getvalue())

    assert findings(drifting, drifting)[0].startswith("not repeatable")


def test_a_record_leaves_no_trace(planted):
    tracing = sys.gettrace()
    findings(lambda: planted["error"](5), lambda: planted["error"](6))
    assert sys.gettrace() is tracing
    assert len({bits.fresh(16) for _ in range(4)}) == 4


def test_declared_keeps_the_function_and_its_reason():
    @data_dependent("a reason")
    def marked(x):
        return x + 1

    assert marked(1) == 2
    assert DATA_DEPENDENT.pop(marked.__code__) == "a reason"
    assert all(reason for reason in DATA_DEPENDENT.values())
    assert Path(dpsampling.__file__).parent == Path(LIBRARY)
