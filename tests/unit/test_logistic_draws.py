"""Exact draws of logistic posteriors in floats: the inequality, the ratio, the law; each with planted bugs.

A distribution function of N draws is further than t from the true one with probability at most 2 exp(−2 N t²)
(Dvoretzky, Kiefer, Wolfowitz, Massart). `FAR` is that t for N = `DRAWS` and 10⁻⁸: with fewer than 100 comparisons here
a right sampler fails once in 10⁶ at most. Seeds are fixed all the same. A planted bug must be further off than that.
"""

import dataclasses
import math

import flint
import mpmath
import numpy as np
import pytest
from flint import arb
from scipy.stats import chi2

from dpsampling.errors import InputError
from dpsampling.learners.logistic import chains, draws
from dpsampling.learners.logistic import envelope as envelopes
from dpsampling.learners.logistic.draws import draw
from dpsampling.learners.logistic.envelope import curvature_bounds, curvature_factor, envelope, envelope_at, phi
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import Target, bend
from logistic import design, exact_height, exactly, propose, records
from logistic import distance as distance_along

DRAWS = 12_000
FAR = math.sqrt(math.log(2 / 1e-8) / (2 * DRAWS))  # .028
DIRECTIONS = np.array([[1.0, 0.0], [0.6, 0.8]])

# -- the inequality under the envelope ---------------------------------------------------------------------------------


def excess(a, t):
    """D(t) at the precision of the moment."""
    a, t = mpmath.mpf(a), mpmath.mpf(t)
    first = mpmath.log1p(mpmath.exp(-a - t)) - mpmath.log1p(mpmath.exp(-a))
    return first + t / (1 + mpmath.exp(a))


def least_gap(bound, cases=400):
    """The least of D(t)/(α c t²) − 1 over random a, r, s and |t| ≤ r."""
    rng = np.random.default_rng(1)
    least = math.inf
    with mpmath.workdps(60):
        for _ in range(cases):
            a = float(rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 1.5))
            r, s = (float(10 ** rng.uniform(-2.5, 1.5)) for _ in range(2))
            t = r * float(rng.choice([-1.0, 1.0, rng.uniform(-1, 1)]))
            below = bound(a, r, s) * mpmath.mpf(t) ** 2
            least = min(least, float(excess(a, t) / below - 1))
    return least


def used(a, r, s):
    return curvature_factor(r, s) * curvature_bounds(np.array([a]), s)[0]


def test_each_records_loss_lies_above_its_parabola():
    assert least_gap(used) >= -1e-9  # what a float loses where the differences in c cancel most


@pytest.mark.parametrize(
    "wrong",
    [
        lambda a, r, s: curvature_bounds(np.array([a]), s)[0],  # no φ beyond s
        lambda a, r, s: phi(r) * curvature_bounds(np.array([a]), s)[0] / phi(2 * s),
        lambda a, r, s: 1.01 * used(a, r, s),
        lambda a, r, s: float(excess(a, s)) / s**2 * curvature_factor(r, s),  # at a instead of |a|
    ],
)
def test_wrong_parabolas_would_be_seen(wrong):
    assert least_gap(wrong) < -1e-4


def test_phi():
    with mpmath.workdps(60):
        for r in (1e-12, 1e-5, 0.0099, 0.0101, 0.5, 3.0, 1e3, 1e8):
            exact = (mpmath.exp(-mpmath.mpf(r)) + mpmath.mpf(r) - 1) / mpmath.mpf(r) ** 2
            assert phi(r) == pytest.approx(float(exact), rel=1e-11)
    assert phi(math.inf) == 0


# -- the ratio ---------------------------------------------------------------------------------------------------------

TARGETS = {
    "plain": Target(records(40, 2), 0.5),
    "tempered": Target(records(40, 2), 0.05, 0.3),
    "hardly any data": Target(records(40, 2), 0.5, 1e-6),
    "separable": Target(records(60, 2, separable=True), 0.06),
    "one direction": Target(Records(np.tile([[0.6, 0.8]], (30, 1)), np.ones(30)), 0.3),
    "one record": Target(Records([[1.0, 0.0]], [1]), 0.1),
    "strong prior": Target(records(200, 2), 30.0),
    "many": Target(records(200, 2), 0.2),
    "in a ball": Target(records(40, 2), 0.5, 1.0, 2.0),
    "no features": Target(Records(np.zeros((3, 2)), [0, 1, 1]), 1.0),
}
WIDER = {
    "nine": Target(records(300, 9), 0.3),
    "hundred": Target(records(2000, 100), 20.0, 0.5),
    "more features than records": Target(records(20, 40), 1.0),
}


def most(found):
    """The largest log ratio of what is inside, how many are."""
    return float(found.log_ratio[found.inside].max()), int(found.inside.sum())


@pytest.mark.parametrize("name", [*TARGETS, *WIDER])
def test_the_ratio_is_never_above_1(name):
    ratio, inside = most(propose(envelope({**TARGETS, **WIDER}[name]), np.random.default_rng(1), 3000))
    assert ratio <= 1e-11
    assert inside > 300


@pytest.mark.parametrize("name", ["plain", "separable", "nine"])
def test_nor_in_many_proposals(name):
    target, rng = {**TARGETS, **WIDER}[name], np.random.default_rng(2)
    made = envelope(target)
    assert max(most(propose(made, rng, 20_000))[0] for _ in range(5)) <= 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TARGETS, *WIDER])
def test_nor_in_a_million(name):
    rng, made = np.random.default_rng(3), envelope({**TARGETS, **WIDER}[name])
    assert max(most(propose(made, rng, 1000))[0] for _ in range(1000)) <= 1e-11


def without_remainder(target):
    return dataclasses.replace(envelope_at(target, 1.1 * target.mode()), remainder=0.0)


def with_one(name, wrong):
    def made(target):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(envelopes, name, wrong)
            return envelope(target)

    return made


def with_prior(factor):
    """The envelope of a prior that is so much more precise."""

    def made(target):
        other = envelope_at(Target(target.records, factor * target.precision, target.weight), target.mode())
        return dataclasses.replace(other, target=target, remainder=0.0)

    return made


@pytest.mark.parametrize(
    "wrong",
    [
        without_remainder,
        with_one("curvature_factor", lambda r, s: 1.0),
        with_one("curvature_bounds", lambda a, s: 0.5 * bend(a)),
        with_prior(1.1),
    ],
)
def test_wrong_envelopes_would_be_seen(wrong):
    assert most(propose(wrong(TARGETS["one direction"]), np.random.default_rng(1), 20_000))[0] > 1e-3


def exact_ratio(made, y, k):
    """ln target − ln envelope at w = ŵ + Vy, in balls, with nothing taken from the sampler but its constants."""
    target, axes = made.target, np.eye(len(y)) if made.axes is None else made.axes
    moved = [
        exactly(c) + sum((exactly(v) * exactly(x) for v, x in zip(row, y, strict=True)), arb(0))
        for c, row in zip(made.centre, axes, strict=True)
    ]
    centre, point = exact_height(target, list(map(exactly, made.centre))), exact_height(target, moved)
    below = sum(((exactly(x) / exactly(s)) ** 2 for x, s in zip(y, made.shells[k].deviations, strict=True)), arb(0)) / 2
    return centre - point + below - exactly(made.remainder)


@pytest.mark.parametrize("name", ["plain", "tempered", "separable", "nine"])
def test_the_ratio_in_interval_arithmetic(name):
    made = envelope({**TARGETS, **WIDER}[name])
    found = propose(made, np.random.default_rng(4), 30)
    with flint.ctx.workprec(200):
        for i in np.flatnonzero(found.inside):
            exact = exact_ratio(made, found.y[i], found.component[i])
            assert exact <= 0
            assert float(exact) == pytest.approx(found.log_ratio[i], abs=1e-9)


# -- the law -----------------------------------------------------------------------------------------------------------


def distance(target, points):
    return max(distance_along(target, points, direction) for direction in DIRECTIONS)


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "no features"])
def test_draws_have_the_law_of_the_target(name):
    drawn = draw(envelope(TARGETS[name]), np.random.default_rng(5), DRAWS)
    assert drawn.points.shape == (DRAWS, 2)
    assert distance(TARGETS[name], drawn.points) < FAR
    assert len(np.unique(drawn.points[:, 0])) == DRAWS


def test_a_centre_that_is_off_costs_speed_alone():
    target = TARGETS["plain"]
    made = envelope_at(target, target.mode() + np.array([5e-4, 0.0]))
    assert made.remainder > 0.5
    drawn = draw(made, np.random.default_rng(6), DRAWS)
    assert distance(target, drawn.points) < FAR
    assert drawn.proposals > 1.5 * draw(envelope(target), np.random.default_rng(6), DRAWS).proposals


def two_shells(target, radius):
    return with_one("best_radii", lambda *_: [radius, math.inf])(target)


def reach_of(made, y):
    return np.abs(y @ made.rows.T).max(axis=1)


@pytest.mark.parametrize("overlap", [False, True])
def test_shells_that_overlap_would_be_seen(overlap):
    made, rng = two_shells(TARGETS["plain"], 0.7), np.random.default_rng(7)
    assert made.shells[1].widths is None
    found = [propose(made, rng, 40_000) for _ in range(6)]
    if overlap:
        outer = np.array([shell.outer for shell in made.shells])
        found = [dataclasses.replace(f, inside=reach_of(made, f.y) <= outer[f.component]) for f in found]
    points = np.concatenate([made.points(one.y[one.taken(rng)]) for one in found])[:DRAWS]
    assert len(points) == DRAWS
    assert (distance(TARGETS["plain"], points) > FAR) is overlap


@pytest.mark.parametrize("thinned", [True, False])
def test_a_component_with_a_hole_proposes_a_gaussian_beyond_it(thinned):
    """Against normal draws of which those in the hole are thrown away; the two-sample bound is 2·10⁻⁸ (Massart)."""
    made, rng = two_shells(Target(records(12, 2), 0.5), 2.6), np.random.default_rng(8)
    k, shell = 1, made.shells[1]
    found = [propose(made, rng, 20_000) for _ in range(2)]
    y = np.concatenate([one.y[one.component == k] for one in found])
    reached = np.concatenate([one.reached[one.component == k] for one in found])
    kept = rng.random(len(y)) * reached < 1 if thinned else np.ones(len(y), dtype=bool)
    plain = shell.deviations * rng.standard_normal((400_000, 2))
    beyond = reach_of(made, plain) > shell.inner
    one, other = reach_of(made, y[kept]), reach_of(made, plain[beyond])
    places = np.sort(other)[:: len(other) // 500]
    shares = [np.searchsorted(np.sort(values), places) / len(values) for values in (one, other)]
    apart = np.max(np.abs(shares[0] - shares[1]))
    far = math.sqrt(math.log(2 / 1e-8) / 2) * (len(one) ** -0.5 + len(other) ** -0.5)
    assert len(one) > 2000
    assert bool(apart < far) is thinned
    # The hole's complement has the mass that the component's weight claims, thinned: six standard errors, 2·10⁻⁹.
    assert shell.sums is not None
    mass, error = beyond.mean(), math.sqrt(beyond.mean() / len(beyond))
    claimed = shell.sums[-1] * (np.mean(1 / reached) if thinned else 1.0)
    allowed = 6 * (error + shell.sums[-1] * np.std(1 / reached) / math.sqrt(len(reached)))
    assert bool(abs(claimed - mass) < allowed) is thinned


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_a_prior_that_is_10_percent_off_would_be_seen(factor):
    """By so many draws: of 400 000 one is .0048 off with probability 2·10⁻⁸."""
    target = TARGETS["one record"]
    wrong = Target(target.records, factor * target.precision)
    right, off = (draw(envelope(one), np.random.default_rng(8), 400_000).points for one in (target, wrong))
    assert distance(target, right) < 0.0048 < distance(target, off)


def test_a_ball_is_kept_to():
    drawn = draw(envelope(TARGETS["in a ball"]), np.random.default_rng(9), 2000)
    assert np.linalg.norm(drawn.points, axis=1).max() <= 2.0


def ranks(rng, repeats, kappa=1.0):
    """Where w₁ of the prior lies among 19 draws given records of the model at w (Talts et al. 2018)."""
    found = np.empty(repeats, dtype=int)
    for i in range(repeats):
        w = rng.standard_normal(2) / math.sqrt(0.5)
        rows = design(12, 2, seed=i)
        labels = rng.random(12) < 1 / (1 + np.exp(-rows @ w))
        drawn = draw(envelope(Target(Records(rows, labels), 0.5 * kappa)), rng, 19).points
        found[i] = np.count_nonzero(drawn[:, 0] < w[0])
    return found


def uneven(found):
    expected = len(found) / 20
    return float(((np.bincount(found, minlength=20) - expected) ** 2).sum() / expected)


@pytest.mark.slow
def test_simulation_based_calibration():
    """χ² of 19 degrees exceeds its limit with probability 10⁻⁶; a precision three times too high is seen."""
    limit = chi2.isf(1e-6, 19)
    assert uneven(ranks(np.random.default_rng(10), 2000)) < limit
    assert uneven(ranks(np.random.default_rng(11), 2000, kappa=3.0)) > limit


# -- against chains ----------------------------------------------------------------------------------------------------


def compare(target, sweeps, directions, rng, tell=6.0):
    """Means and deviations of w·p of exact draws and chains, in standard errors of both; R̂ too.

    Six standard errors of a mean: 2·10⁻⁹ a comparison.
    """
    made = envelope(target)
    exact = draw(made, rng, 4000).points
    axes = np.eye(target.records.d) if made.axes is None else made.axes
    run = chains.run(target, rng, exact[:4] * 1.5, sweeps, burn_in=sweeps // 5, directions=axes)
    for p in directions:
        one, other = exact @ p, run.points @ p
        assert run.r_hat(p) < 1.01
        size = run.effective(p)
        for first, second in ((one, other), ((one - one.mean()) ** 2, (other - one.mean()) ** 2)):
            error = math.sqrt(first.var() / len(first) + second.var() / size)
            assert abs(first.mean() - second.mean()) < tell * error, p
    return exact


def directions_of(target, count, rng):
    return [*np.eye(target.records.d)[:count], *target.records.signed[rng.integers(0, target.records.n, count)]]


def test_moments_are_those_of_chains():
    target, rng = Target(records(100, 3, seed=6), 0.3), np.random.default_rng(12)
    compare(target, 800, directions_of(target, 3, rng), rng)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d", "sweeps", "w"), [(1000, 9, 1500, 1.0), (1000, 9, 1500, 0.1), (2000, 100, 600, 0.2)])
def test_moments_are_those_of_long_chains(n, d, sweeps, w):
    target, rng = Target(records(n, d, seed=7), n * 1e-3, w), np.random.default_rng(13)
    compare(target, sweeps, directions_of(target, 5, rng), rng)


def test_another_target_is_told_from_it():
    target, rng = Target(records(150, 4, seed=6), 0.3), np.random.default_rng(14)
    other = draw(envelope(Target(target.records, 0.3, 0.9)), rng, 4000).points
    exact = draw(envelope(target), rng, 4000).points
    apart = [abs((exact - other).mean(axis=0) @ p) / math.sqrt(2 * (exact @ p).var() / 4000) for p in np.eye(4)]
    assert max(apart) > 6


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_a_ball_that_the_posterior_keeps_away_from_ends(monkeypatch):
    monkeypatch.setattr(draws, "MOST", 5000)
    far = Target(Records(np.ones((400, 1)), np.ones(400)), 0.01, 1.0, 1.0)
    with pytest.raises(InputError, match="proposals was taken"):
        draw(envelope(far), np.random.default_rng(1), 1)


@pytest.mark.parametrize("size", [0, -1, 1.5])
def test_a_size_is_a_whole_number(size):
    with pytest.raises(InputError, match="size"):
        draw(envelope(TARGETS["plain"]), np.random.default_rng(1), size)


def test_draws_are_the_same_for_the_same_generator():
    made = envelope(TARGETS["plain"])
    one, other = (draw(made, np.random.default_rng(3), 50).points for _ in range(2))
    assert np.array_equal(one, other)
    assert isinstance(made, envelopes.Envelope)
