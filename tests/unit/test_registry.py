"""The registry names every mechanism of the library, with a source and its families, and drives what it should."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

from dpsampling.audit.registry import ENTRIES
from dpsampling.mechanisms import registry as room
from dpsampling.mechanisms.audit_cases import registry_cases
from dpsampling.mechanisms.divergence import kl_by_quadrature
from dpsampling.mechanisms.entry import EVERY, Entry, Setting
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.families.registry import FAMILIES, FamilyEntry
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import DirectPosterior
from dpsampling.privacy.laws import renyi
from dpsampling.release.style import BLACK, CurveStyle, styles
from reproduction.experiments.renyi.styles import MECHANISMS
from reproduction.stages import figure
from tables import made

MATHEMATICS = ("mechanisms", "event_logs", "profiles", "amplification", "foundations", "learners")


def mechanism_classes() -> set[type]:
    """Every class of the mathematics that says what it guarantees and is not merely what others have in common."""
    found = set()
    for name in MATHEMATICS:
        package = importlib.import_module(f"dpsampling.{name}")
        for told in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(told.name)
            own = [cls for _, cls in inspect.getmembers(module, inspect.isclass) if cls.__module__ == told.name]
            concrete = [c for c in own if not (inspect.isabstract(c) or getattr(c, "_is_protocol", False))]
            found |= {cls for cls in concrete if hasattr(cls, "guarantee")}
    shared = {base for entry in ENTRIES for base in entry.mechanism.__bases__}
    return found - (shared - {entry.mechanism for entry in ENTRIES})


def test_every_class_with_a_guarantee_is_in_an_entry():
    classes = mechanism_classes()
    assert len(classes) >= 15
    assert {cls.__name__ for cls in classes - {entry.mechanism for entry in ENTRIES}} == set()


def test_a_class_that_is_in_no_entry_would_be_seen():
    named = {entry.mechanism for entry in ENTRIES if entry.name != "exponential"}
    assert {cls.__name__ for cls in mechanism_classes() - named} == {"ExponentialMechanism"}


def test_entries_have_names_sources_and_families():
    names = [entry.name for entry in ENTRIES]
    assert len(set(names)) == len(names)
    for entry in ENTRIES:
        assert entry.source, entry.name
        assert entry.families == EVERY or set(entry.families) <= set(FAMILIES), entry.name
        assert bool(entry.families) == (entry.build is not None), f"{entry.name}: families are what it is built for"


def test_families_accept_the_data_that_they_are_registered_with():
    rng = np.random.default_rng(1)
    for entry in FAMILIES.values():
        prior, n = entry.family.check_prior(entry.prior), entry.family.check_records(entry.records)
        statistic = entry.family.check_statistic(entry.statistic, n)
        drawn = entry.family.simulate(entry.population, n, rng, 7)
        entry.family.check_statistic(drawn, n)
        theta = entry.family.sample(entry.family.posterior(prior, statistic, n), rng)
        assert np.all(np.isfinite(entry.family.log_likelihood(statistic, n, theta)))
        assert len(drawn) == 7


def test_log_likelihoods_differ_as_the_records_say():
    """ln Pr(X|θ) − ln Pr(X|θ′) record by record, for bits, for clipped numbers and for categories."""
    bits, theta, other = np.array([1, 0, 0, 1, 1]), 0.3, -1.2
    log_p = [np.where(bits == 1, t, 0.0) - np.log1p(np.exp(t)) for t in (theta, other)]
    family = FAMILIES["beta-bernoulli"].family
    difference = family.log_likelihood(bits.sum(), 5, theta) - family.log_likelihood(bits.sum(), 5, other)
    assert difference == pytest.approx(log_p[0].sum() - log_p[1].sum(), rel=1e-12)

    x = np.array([0.4, -1.0, 0.7])
    family = FAMILIES["gaussian-mean"].family
    means = [family.mean(t) for t in (theta, other)]
    exact = sum(-((x - m) ** 2).sum() / 2 / family.variance * sign for m, sign in zip(means, (1, -1), strict=True))
    difference = family.log_likelihood(x.sum(), 3, theta) - family.log_likelihood(x.sum(), 3, other)
    assert difference == pytest.approx(exact, rel=1e-12)

    family, counts = FAMILIES["dirichlet-categorical"].family, np.array([3.0, 1.0, 2.0])
    points = [np.array([0.2, -0.5]), np.array([-1.0, 0.4])]
    shares = [np.exp([*t, 0.0]) / np.exp([*t, 0.0]).sum() for t in points]
    difference = np.subtract(*(family.log_likelihood(counts[:-1], counts.sum(), t) for t in points))
    assert difference == pytest.approx(counts @ np.log(shares[0]) - counts @ np.log(shares[1]), rel=1e-12)


def test_simulated_records_have_the_moments_of_their_population():
    """4 standard errors of 20 000 sums: each fails by chance with probability 6.4e-5, and the seed is fixed."""
    rng, runs, n = np.random.default_rng(2), 20_000, 5
    assert abs(BetaBernoulli().simulate(0.3, n, rng, runs).mean() - 1.5) < 4 * np.sqrt(n * 0.21 / runs)
    clipped = FAMILIES["gaussian-mean"].family.simulate(0.2, n, rng, runs)
    assert abs(clipped.mean() - 1.0) < 4 * np.sqrt(n / runs)  # the clip at 3σ moves the mean by 1e-4
    counts = FAMILIES["dirichlet-categorical"].family.simulate((0.3, 0.2), n, rng, runs)
    assert np.all(np.abs(counts.mean(axis=0) - [1.5, 1.0]) < 4 * np.sqrt(n * 0.25 / runs))


def test_kl_by_quadrature_is_the_closed_form():
    setting = Setting(BetaBernoulli(), np.array([6.0, 18.0]), 100.0)
    for name in ("diffused", "concentrated", "gaussian"):
        (entry,) = (e for e in room.ENTRIES if e.name == name)
        built = entry.build(setting, 2.0, [0.01, 0.1])
        np.testing.assert_allclose(kl_by_quadrature(built, setting, 32.0), entry.kl(built, 32.0), rtol=1e-7, atol=1e-9)


def test_kl_to_a_window_is_infinite_however_little_is_outside():
    """The posterior of any data has some of its mass beyond every window of θ; to itself it is 0 away, never less."""
    setting = Setting(BetaBernoulli(), np.array([6.0, 18.0]), 100.0)
    windows = [OnePosteriorSample(BetaBernoulli(), setting.prior, setting.n, a0) for a0 in (0.2, 1e-3, 1e-12, 1e-300)]
    assert np.all(kl_by_quadrature(windows, setting, 32.0) == np.inf)
    for n, successes in ((100.0, 32.0), (1e6, 3e5), (3.0, 0.0)):
        setting = Setting(BetaBernoulli(), np.array([6.0, 18.0]), n)
        direct = DirectPosterior(BetaBernoulli(), setting.prior, n)
        assert kl_by_quadrature([direct, Shifted(direct)], setting, successes).tolist() == [0.0, 0.0]


class Shifted:
    """A density that rounding has put a little above the one it should be."""

    def __init__(self, other):
        self.other = other

    def log_density(self, theta, statistic):
        return np.nextafter(self.other.log_density(theta, statistic), np.inf)


def test_the_audit_has_an_instance_for_every_family_that_an_entry_serves():
    """Those that its own instances do not know are looked at as the figures have them."""
    shares = FamilyEntry("shares", GaussianMean(0.25, 0.5), (0.0, 4.0), 100, 20.0, 0.2)
    for entry in ENTRIES:
        assert not any(registry_cases.wanted(entry, family) for family in FAMILIES.values()), entry.name
        assert registry_cases.wanted(entry, shares) == entry.serves("shares") == (entry.families == EVERY)
    (diffused,) = (entry for entry in ENTRIES if entry.name == "diffused")
    case = registry_cases.audit_case(diffused, shares, 2.0, 0.01)
    assert renyi(*(case.laws[name] for name in case.named), 2.0) == pytest.approx(0.01, rel=1e-9)
    twice = case.lies["ε"](2.0)
    assert renyi(*(twice[name] for name in case.named), 2.0) == pytest.approx(0.02, rel=1e-9)


def test_an_entry_without_a_style_is_compared_in_the_figures(monkeypatch):
    (direct,) = (entry for entry in room.ENTRIES if entry.name == "direct")
    twin = Entry("twin", "a test", direct.mechanism, EVERY, direct.build, kl=direct.kl)
    monkeypatch.setattr("reproduction.experiments.renyi.setting.ENTRIES", (*room.ENTRIES, twin))
    table = made("fig5_3", epsilons=[0.1, 1])
    assert set(table.loc[table["mechanism"] == "twin", "kl"]) == {0.0}
    legend = figure.draw("renyi.tradeoff", table, table.attrs["parameters"]).legends[0]
    assert "twin" in {text.get_text() for text in legend.get_texts()}
    assert "twin" in set(made("fig5_5", epsilons=[0.1], runs=20)["mechanism"])


def test_every_mechanism_that_is_compared_has_a_style():
    assert {entry.name for entry in room.ENTRIES if entry.compared and entry.build} == set(MECHANISMS)


def test_names_without_a_style_get_one_that_is_free():
    shown = styles(["diffused", "new-one", "other"], {"diffused": CurveStyle("Algorithm 2", BLACK, "-", "s")})
    assert shown["diffused"].label == "Algorithm 2"
    assert shown["new-one"].label == "new one"
    assert len({style.colour for style in shown.values()}) == 3
