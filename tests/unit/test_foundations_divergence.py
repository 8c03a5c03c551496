"""Max divergence by threshold events against all events, and what one δ at every distance asks for."""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.foundations import distance
from dpsampling.foundations.max_divergence import divergence, excess, ratio
from dpsampling.privacy import laws
from dpsampling.privacy.gaussian_dp import largest_mu

V, W = (Fraction(7, 10), Fraction(3, 10)), (Fraction(4, 10), Fraction(6, 10))


def by_all_events(p, q, delta):
    """Definition 2.18 word for word, without the events that decide nothing."""
    best = 0
    for event in product((0, 1), repeat=len(p)):
        mass, beside = (sum(x for x, inside in zip(law, event, strict=True) if inside) for law in (p, q))
        if mass > delta:
            best = max(best, math.inf if beside == 0 else (mass - delta) / beside)
    return best


def drawn(rng, outputs):
    return tuple(Fraction(int(c), 15) for c in rng.multinomial(15, rng.dirichlet(np.full(outputs, 0.5))))


def test_threshold_events_suffice_among_all_events():
    rng = np.random.default_rng(1)
    for _ in range(300):
        p, q = drawn(rng, 6), drawn(rng, 6)
        for delta in (Fraction(0), Fraction(1, 15), Fraction(1, 3), Fraction(9, 10)):
            assert ratio(p, q, delta) == by_all_events(p, q, delta)


def test_a_planted_order_of_outputs_would_be_seen():
    """Taking outputs by p instead of p/q misses the event that attains the maximum."""
    p, q = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), (Fraction(5, 8), Fraction(1, 8), Fraction(1, 4))
    by_mass, reached, other = 0, Fraction(0), Fraction(0)
    for mass, beside in sorted(zip(p, q, strict=True), reverse=True):
        reached, other = reached + mass, other + beside
        by_mass = max(by_mass, reached / other)
    assert by_mass < ratio(p, q) == by_all_events(p, q, 0) == 2


def test_the_level_is_where_the_excess_falls_to_delta():
    """The other form: Σ (p − t q)₊ = δ at t = R, by the hockey-stick of another module in floats."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        p, q = (rng.dirichlet(np.ones(5)) for _ in range(2))
        t = ratio(p.tolist(), q.tolist(), 0.05)
        if t >= 1:
            pair = [laws.Finite(np.log(law)) for law in (p, q)]
            assert laws.delta(*pair, math.log(t)) == pytest.approx(0.05, rel=1e-9)
        assert excess(p.tolist(), q.tolist(), t) == pytest.approx(0.05, rel=1e-9)


def test_edges():
    one = (Fraction(1),)
    assert ratio(one, one, Fraction(1, 4)) == Fraction(3, 4)  # the least there is: 1 − δ
    assert divergence(one, one, 1) == -math.inf
    assert ratio((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)), Fraction(1, 2)) == math.inf
    assert ratio((Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1)), Fraction(1, 2)) == Fraction(1, 2)


def test_lemma_2_24_as_the_text_has_it_and_its_two_bounds():
    """Two of the printed numbers: .811 for the sum, .891 for the pair."""
    delta = Fraction(1, 10)
    pair = [tuple(a * b for a, b in product(law, law)) for law in (V, W)]
    assert 2 * divergence(V, W, delta) == pytest.approx(0.8109302162163288)
    assert divergence(*pair, delta) == pytest.approx(0.8909729238898653)
    assert divergence(*pair, 1 - (1 - delta) ** 2) <= 2 * divergence(V, W, delta) <= divergence(*pair, delta**2)
    assert 2 * divergence(V, W) == pytest.approx(divergence(*pair))


def test_the_chain_attains_what_is_left_at_a_distance():
    t, delta = Fraction(3, 2), Fraction(1, 20)
    chain = distance.chain(t, delta, 4)
    for near, next_to in pairwise(chain):
        assert max(excess(near, next_to, t), excess(next_to, near, t)) == delta
    for d in range(1, 5):
        assert excess(chain[d], chain[0], t**d) == delta * (t**d - 1) / (t - 1) == distance.group_delta(t, delta, d)


@pytest.mark.parametrize(("d", "count"), [(1, 1), (1, 3), (4, 1), (3, 2), (5, 3)])
def test_geometric_noise_against_the_sum_over_its_outputs(d, count):
    """Untruncated sums over outputs from −60 to 60, whose tails are below 2⁻⁶⁰."""
    t, level = 2.0, 0.7 * d * count * math.log(2.0)
    outputs = np.arange(-60, 61)
    p, q = ((t - 1) / (t + 1) * t ** -np.abs(outputs - at).astype(float) for at in (0, d))
    joint_p, joint_q = np.ones(1), np.ones(1)
    for _ in range(count):
        joint_p, joint_q = (np.multiply.outer(j, law).ravel() for j, law in ((joint_p, p), (joint_q, q)))
    mine = [law.tolist() for law in distance.geometric_pair(t, d, count)]
    expected = np.maximum(joint_p - math.exp(level) * joint_q, 0.0).sum()
    assert excess(*mine, math.exp(level)) == pytest.approx(expected, rel=1e-9)
    assert [sum(law) for law in mine] == pytest.approx([1.0, 1.0])
    assert divergence(*mine) == pytest.approx(d * count * math.log(t))


def test_no_gaussian_noise_keeps_one_delta_at_every_distance():
    sigma = 1.0 / largest_mu(0.5, 1e-3)
    deltas = [distance.gaussian_delta(sigma, 0.5, d) for d in range(1, 200)]
    assert deltas[0] == pytest.approx(1e-3)
    assert deltas[1] > 1.5e-3
    assert deltas == sorted(deltas)
    assert deltas[-1] > 1 - 1e-9


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: divergence((0.7, 0.3), (0.4, 0.6, 0.0), 0), "p has 2 outputs and q 3"),
        (lambda: divergence((0.7, 0.7), (0.4, 0.6), 0), "p is not a law"),
        (lambda: divergence((0.7, 0.3), (1.4, -0.4), 0), "q is not a law"),
        (lambda: divergence((0.7, 0.3), (0.4, math.nan), 0), "q is not a law"),
        (lambda: divergence((0.7, 0.3), (0.4, 0.6), 1.5), "delta is 1.5"),
        (lambda: distance.gaussian_delta(1.0, -1.0, 1), "-1"),
    ],
)
def test_what_is_no_pair_of_laws_or_no_level_is_refused(call, match):
    with pytest.raises(InputError, match=match):
        call()
