"""Exact expected errors against draws of the mechanisms themselves, within 5 standard errors, and with planted bugs."""

import math

import numpy as np
import pytest
from scipy.special import expit

from dpsampling.cli import main
from dpsampling.errors import InputError
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.release import choose
from dpsampling.release.choose import Setting

FAMILY, DRAWS, DELTA = BetaBernoulli(), 20_000, 1e-6
SETTINGS = [
    Setting(40, 0.5, DELTA, (1.0, 1.0)),
    Setting(500, 1.0, DELTA, (2.0, 5.0)),
    Setting(500, 1.0, DELTA, (1.0, 1.0), 0.03),
    Setting(1, 0.3, DELTA, (1.0, 1.0)),
    Setting(20_000, 0.05, DELTA, (0.5, 0.5)),
]
NAMES = [
    "no privacy", "noisy counts", "noisy count", "Laplace statistic", "ops", "exponential mechanism",
    "randomised response", "gaussian", "direct", "diffused", "concentrated",
]  # fmt: skip


def simulated(name, s, rng, *, prior=None, scale=1.0):
    """|p̃ − p| of DRAWS releases; `prior` and `scale` plant bugs."""
    a, b = s.prior
    p = np.full(DRAWS, s.p) if s.p is not None else rng.beta(*(prior or s.prior), DRAWS)
    k = rng.binomial(s.n, p).astype(float)
    n, epsilon, eta = s.n, s.epsilon * scale, (a, a + b)

    def ratio(yes, no):
        return (a + yes) / (a + b + yes + no)

    def geometric(rate):
        success = -math.expm1(-rate)
        return rng.geometric(success, DRAWS) - rng.geometric(success, DRAWS)

    if name == "no privacy":
        share = ratio(k, n - k)
    elif name in ("noisy counts", "Laplace statistic"):
        noise = "discrete" if name == "noisy counts" else "continuous"
        found = LaplaceCounts(epsilon, noise=noise).simulate(np.stack([k, n - k], axis=1), rng)
        share = ratio(found[:, 0], found[:, 1])
    elif name == "noisy count":
        share = (a + np.clip(k + geometric(epsilon), 0, n)) / (a + b + n)
    elif name == "ops":
        best = min(choose.TRUNCATIONS, key=lambda a0: choose.tempered_draw(s, a0))
        share = OnePosteriorSample.calibrate(FAMILY, eta, n, best, epsilon=epsilon).simulate_probability(k, rng)
    elif name == "exponential mechanism":
        grid = np.linspace(0.0, 1.0, min(n, choose.GRID) + 1)
        share = grid[ExponentialMechanism(1.0, epsilon).simulate(-np.abs(n * grid - k[:, None]), rng)]
    elif name == "randomised response":
        lie = expit(-epsilon)
        said = rng.binomial(k.astype(int), 1 - lie) + rng.binomial((n - k).astype(int), lie)
        share = np.clip((said / n - lie) / (1 - 2 * lie), 0, 1)
    elif name == "gaussian":
        found = GaussianStatistic.calibrate(FAMILY, eta, n, epsilon=epsilon, delta=DELTA)
        share = (a + found.simulate_statistic(k, rng)) / (a + b + n)
    elif name == "direct":
        share = expit(DirectPosterior(FAMILY, eta, n).simulate(k, rng))
    else:
        algorithm = {"diffused": DiffusedPosterior, "concentrated": ConcentratedPosterior}[name]
        scale = choose.nearly_calibrated(algorithm, s.prior, n, epsilon, DELTA)
        share = expit(algorithm(FAMILY, eta, n, scale).simulate(k, rng))
    return np.abs(share - p)


@pytest.fixture(scope="module")
def exact():
    """The errors of every setting, by name."""
    return [{choice.name: choice.error for choice in choose.choices(s)} for s in SETTINGS]


def away(errors, exact) -> float:
    return abs(float(errors.mean()) - exact) / (float(errors.std()) / math.sqrt(len(errors)) + 1e-12)


@pytest.mark.parametrize("place", range(len(SETTINGS)))
@pytest.mark.parametrize("name", NAMES)
def test_the_exact_error_is_that_of_simulated_releases(exact, place, name):
    rng = np.random.default_rng(NAMES.index(name) + 100 * place)
    assert away(simulated(name, SETTINGS[place], rng), exact[place][name]) < 5.0


@pytest.mark.parametrize("name", ["noisy counts", "noisy count", "gaussian", "diffused", "randomised response"])
def test_another_prior_or_a_halved_scale_is_seen(exact, name):
    rng = np.random.default_rng(9)
    assert away(simulated(name, SETTINGS[0], rng, scale=2.0), exact[0][name]) > 5.0
    assert away(simulated(name, SETTINGS[1], rng, prior=(0.5, 0.5)), exact[1][name]) > 5.0


@pytest.mark.parametrize(("n", "a", "b"), [(1, 1.0, 1.0), (2, 0.5, 3.0), (37, 1.0, 1.0), (60, 2.0, 0.7)])
def test_few_rows_are_summed_one_by_one(n, a, b):
    """By a plain sum over all k of the closed form."""
    from scipy.stats import betabinom

    from dpsampling.mechanisms.expected_error import beta_l1_error

    k = np.arange(n + 1.0)
    x = (a + k) / (a + b + n)
    errors = [float(beta_l1_error(a + i, b + n - i, float(y))) for i, y in zip(k, x, strict=True)]
    plain = float(betabinom.pmf(k, n, a, b) @ np.array(errors))
    assert choose.no_privacy(Setting(n, 1.0, prior=(a, b))) == pytest.approx(plain, rel=1e-6)


def test_two_noisy_counts_of_few_rows_are_summed_pair_by_pair():
    n, epsilon, p = 6, 1.0, 0.3
    rate = epsilon / 2.0
    y = np.arange(-90, 91)
    law = math.tanh(rate / 2.0) * np.exp(-rate * np.abs(y))
    total = 0.0
    for k in range(n + 1):
        yes, no = np.maximum(k + y, 0.0)[:, None], np.maximum(n - k + y, 0.0)
        weight = math.comb(n, k) * p**k * (1 - p) ** (n - k)
        total += weight * float(law @ np.abs((1 + yes) / (2 + yes + no) - p) @ law)
    found = {choice.name: choice.error for choice in choose.choices(Setting(n, epsilon, p=p))}
    assert found["noisy counts"] == pytest.approx(total, rel=1e-6)


@pytest.mark.parametrize("name", ["diffused", "concentrated"])
def test_the_scale_is_the_certified_one_to_four_digits(name):
    algorithm = {"diffused": DiffusedPosterior, "concentrated": ConcentratedPosterior}[name]
    certified = algorithm.calibrate(FAMILY, (1.0, 2.0), 300, epsilon=2.0, delta=DELTA).scale
    assert choose.nearly_calibrated(algorithm, (1.0, 1.0), 300, 2.0, DELTA) == pytest.approx(certified, rel=1e-4)


def test_the_best_that_is_to_be_had_comes_first_and_each_says_why(capsys, tmp_path):
    target = tmp_path / "choices.csv"
    assert main(["release", "choose", "--n", "500", "--epsilon", "1", "--out", str(target)]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert len(lines) == len(NAMES)
    assert lines[0].strip().startswith("noisy count ")
    assert all(line.endswith(".") for line in lines)
    assert sum("no --delta is given" in line for line in lines) == 4
    rows = target.read_text().splitlines()
    assert rows[0] == "mechanism,expected_error,available,why"
    assert len(rows) == len(NAMES) + 1


@pytest.mark.parametrize("n", ["1", "100000"])
@pytest.mark.parametrize("epsilon", ["0.01", "50"])
def test_extremes_are_numbers(capsys, n, epsilon):
    assert main(["release", "choose", "--n", n, "--epsilon", epsilon, "--delta", "1e-6"]) == 0
    assert "nan" not in capsys.readouterr().out
    errors = {choice.name: choice.error for choice in choose.choices(Setting(int(n), float(epsilon), DELTA))}
    assert all(errors["no privacy"] <= error * (1 + 1e-9) and error < 0.6 for error in errors.values())


@pytest.mark.parametrize(
    ("option", "value"),
    [(o, v) for o in ("--n", "--epsilon", "--delta", "--p") for v in ("nan", "inf", "0", "-1", "1e400", "", "١")]
    + [("--n", "2.5"), ("--n", "1e9"), ("--delta", "1"), ("--p", "1"), ("--p", "2")],
)
def test_what_is_no_setting_is_refused_in_one_sentence(capsys, option, value):
    told = {"--n": "10", "--epsilon": "1", "--delta": "1e-6", "--p": "0.3", option: value}
    arguments = [part for name, text in told.items() for part in (f"{name}={text}",)]
    assert main(["release", "choose", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert option in said.err
    assert said.err.strip().endswith(".")


def test_a_prior_that_is_none_is_refused():
    with pytest.raises(InputError, match="--prior is"):
        Setting(5, 1.0, prior=(0.0, 1.0))
