"""Exact draws, part by part: the tape, the numbers that come out, and what a release asks of its arguments."""

import math
import subprocess
import sys
import textwrap
from fractions import Fraction

import flint
import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import PROJECT, captured
from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.exact import bits, laws, tape
from dpsampling.numerics.exact.arguments import check_size, row, single
from dpsampling.numerics.exact.draws import integers, numbers, one_each
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.replay import FrozenBits
from dpsampling.numerics.exact.tape import Tape, UndecidedError, floor, positive

BETA, PRIOR, N = BetaBernoulli(), (6.0, 18.0), 100

# -- the tape ----------------------------------------------------------------------------------------------------------


class Ideal:
    """Bits of known ideal uniforms, and a note of what was asked for."""

    def __init__(self, seed=0):
        self.asked = []
        self._source = FrozenBits(seed)

    def __call__(self, place, known, more):
        self.asked.append((place, known, more))
        return self._source(place, known, more)

    def value(self, place, precision=5000):
        """The uniform's first 5000 bits: it lies in [k, k + 1]/2⁵⁰⁰⁰."""
        k = self._source(place, 0, precision)
        return Fraction(k, 2**precision), Fraction(k + 1, 2**precision)


def holds(ball, ends):
    with flint.ctx.workprec(6000):
        return all(ball.contains(fmpq(end.numerator, end.denominator)) for end in ends)


def needing(precision, uniforms=3):
    """A program that cannot decide below so many bits; it gives all its balls back."""

    def program(t):
        balls = [t.uniform() for _ in range(uniforms)]
        if flint.ctx.prec < precision:
            raise UndecidedError
        return balls

    return program


@pytest.mark.parametrize("precision", [16, 17, 53, 128, 333])
def test_every_ball_holds_its_ideal_uniform_at_every_precision(precision):
    ideal = Ideal()
    t = Tape(ideal, precision)
    for draw in range(50):
        for i, ball in enumerate(t.draw(needing(4 * precision if draw % 3 == 0 else precision))):
            assert holds(ball, ideal.value((draw, i)))
            wide = 2 * ball.rad() * arb((1, precision * (4 if draw % 3 == 0 else 1)))
            assert wide < 4  # [k, k + 1]/2ᵖ, and what it takes to write it at p bits


def test_a_ball_beside_its_uniform_would_be_seen():
    """The planted bug: balls around k/2ᵖ instead of k/2ᵖ + 1/2ᵖ⁺¹, which hold half of the uniforms."""
    ideal, t = Ideal(), Tape(Ideal(), 64)

    held = []
    for draw in range(50):
        t.draw(lambda s: s.uniform())
        ends = ideal.value((draw, 0))
        held.append(holds(arb((math.floor(ends[0] * 2**64), -64), arb((1, -65))), ends))
    assert 5 < sum(held) < 45


def test_bits_once_revealed_are_kept_and_none_is_asked_for_twice():
    ideal = Ideal()
    t = Tape(ideal, 16)
    t.draw(needing(100, 1))
    assert ideal.asked == [((0, 0), 0, 16), ((0, 0), 16, 16), ((0, 0), 32, 32), ((0, 0), 64, 64)]
    assert t.runs == 4


@given(st.lists(st.integers(1, 70), min_size=1, max_size=6), st.integers(0, 100))
def test_frozen_bits_are_the_same_however_they_are_asked_for(steps, seed):
    source, known, k = FrozenBits(seed), 0, 0
    for more in steps:
        k = k << more | source((1, 2), known, more)
        known += more
    assert k == source((1, 2), 0, known)
    assert k != source((1, 3), 0, known) or known < 40


def test_a_draw_does_not_depend_on_how_many_bits_the_draws_before_it_took():
    """Each has uniforms of its own, and begins at the same precision again."""
    one, other = Tape(FrozenBits(5)), Tape(FrozenBits(5))
    one.draw(needing(2000))
    other.draw(needing(1, uniforms=1))
    first, second = ([t.draw(lambda s: floor(laws.normal(s), 53)) for _ in range(20)] for t in (one, other))
    assert first == second
    assert one.runs == 5 + 20


def test_the_precision_of_the_process_is_left_as_it_was():
    before = flint.ctx.prec
    t = Tape(FrozenBits(0), 16)
    t.draw(needing(1000))
    with pytest.raises(ZeroDivisionError):
        t.draw(lambda _: 1 // 0)
    assert flint.ctx.prec == before


def test_what_no_bits_decide_ends(monkeypatch):
    def never(t):
        u = t.uniform()
        return positive(u - u)

    monkeypatch.setattr(tape, "MOST", 1000)
    with pytest.raises(UndecidedError):
        Tape(FrozenBits(0)).draw(never)


def test_an_uncertain_comparison_or_floor_is_refused():
    around, nan = arb(0, 1e-9), arb("nan")
    for undecided in (positive, floor):
        for ball in (around, nan):
            with pytest.raises(UndecidedError):
                undecided(ball)
    for undecided in (lambda: floor(arb("inf")), lambda: laws.largest([nan])):
        with pytest.raises(UndecidedError):
            undecided()
    assert positive(arb(1, 0.5))
    assert not positive(arb(-1, 0.5))
    assert not positive(arb(0))
    assert [floor(arb(x), 2) for x in (-0.25, -0.2, 0.0, 0.9)] == [-1, -1, 0, 3]


def test_system_bits_are_as_many_as_asked_for_and_fill_their_range():
    for more in (1, 7, 8, 9, 53, 128):
        found = [tape.system_bits((0, 0), 0, more) for _ in range(200)]
        assert 0 <= min(found) <= max(found) < 2**more
        # The top bit of 200 is the same with probability 2^-199, and so is the lowest.
        assert {k >> (more - 1) for k in found} == {0, 1} == {k & 1 for k in found}


def test_below_is_uniform_and_within_its_bound():
    assert {bits.below(5) for _ in range(400)} == set(range(5))  # misses one with probability 5·(4/5)⁴⁰⁰ < 1e-38
    assert bits.below(1) == 0
    assert 0 <= bits.below(2**80 + 1) <= 2**80


FORKED = """
import os
from dpsampling.numerics.exact import laws
from dpsampling.numerics.exact.draws import numbers

law = laws.LogitBeta(3, 4)
numbers(law)  # whatever is made on first use is there
child = os.fork()
drawn = numbers(law).integers.item()
if child:
    os.waitpid(child, 0)
print(drawn)
"""


def test_a_forked_process_draws_numbers_of_its_own():
    """In a process without threads, which would not outlive the fork."""
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    assert len(set(done.stdout.split())) == 2


# -- numbers that may be released --------------------------------------------------------------------------------------

WHOLE = st.one_of(st.integers(-(2**60), 2**60), st.integers(-(2**1200), 2**1200))


@given(WHOLE, st.integers(0, 1300))
@settings(max_examples=300)
def test_floats_are_the_nearest(k, exponent):
    """A float's neighbours are no nearer, and of two as near it is the even one: as Fraction rounds."""
    exact = Fraction(k, 2**exponent)
    try:
        expected = float(exact)
    except OverflowError:
        expected = math.inf if k > 0 else -math.inf
    assert FixedPoint.of([k], exponent).floats.tolist() == [expected]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1), st.integers(0, 200))
def test_below_is_the_floor_of_the_rational_that_a_float_is(floats, exponent):
    for k, x in zip(FixedPoint.below(np.array(floats), exponent).integers, floats, strict=True):
        assert k <= Fraction(x) * 2**exponent < k + 1


@given(st.lists(WHOLE, min_size=1, max_size=5), st.integers(0, 100), st.integers(0, 50), st.integers(0, 50))
def test_clipping_is_exact(integers_, exponent, low, width):
    clipped = FixedPoint.of(integers_, exponent).clipped(-low, width)
    expected = [min(max(Fraction(k, 2**exponent), Fraction(-low)), Fraction(width)) for k in integers_]
    assert clipped.fractions == expected
    assert clipped.exponent == exponent
    above = [max(Fraction(k, 2**exponent), Fraction(0)) for k in integers_]
    assert FixedPoint.of(integers_, exponent).clipped(0, None).fractions == above


@pytest.mark.parametrize("k", [-5, 3, 700, 10**6, -(10**40), 10**40])
def test_a_single_number_is_clipped_to_a_whole_one_of_python(k):
    single_ = FixedPoint.of(k << 3, 3).clipped(0, 1000)
    assert single_.shape == ()
    assert type(single_.integers.item()) is int
    assert single_.fractions == [Fraction(min(max(k, 0), 1000))]
    assert all(type(one) is int for one in FixedPoint.of([k, 1], 3).clipped(0, 10).integers)


def test_arrays_and_places():
    made = FixedPoint.of([[1, -2], [3, 2**70], [5, 6]], 1)
    assert made.shape == (3, 2)
    assert len(made) == 3
    assert np.asarray(made).tolist() == [[0.5, -1.0], [1.5, 2.0**69], [2.5, 3.0]]
    assert np.asarray(made, dtype=np.float32).dtype == np.float32
    assert (np.asarray(made)[:, 0] * 2).tolist() == [1.0, 3.0, 5.0]
    assert np.mean(made[:, 0]) == 1.5
    assert made[1, 1].integers.item() == 2**70
    assert float(made[0, 0]) == 0.5
    assert made[1:].shape == (2, 2)
    assert [float(x) for x in made[2]] == [2.5, 3.0]
    with pytest.raises(InputError, match="6 numbers"):
        float(made)
    with pytest.raises(IndexError):
        made[3]
    assert repr(FixedPoint.of(3, 1)) == "1.5 = ⌊2^1·X⌋/2^1"
    array = np.asarray(made)
    array[0, 0] = 9
    assert made.floats[0, 0] == 0.5


# -- laws at their extremes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [1e-300, 1e-12, 0.1, 1, 1e12, 1e300, Fraction(1, 3), 5e-324])
def test_log_gammas_of_any_shape_are_numbers(shape):
    drawn = numbers(laws.LogGamma(shape), 20, source=FrozenBits(2)).fractions
    assert len(set(drawn)) == 20 or shape == 1e300  # whose logarithms differ by 1e-150
    if shape >= 1e12:  # ln G = ln a + N/√a
        assert all(abs(float(x) - math.log(shape)) < 1e-5 for x in drawn)
    if shape < 1e-11:  # a ln G is −E but for what is no number here
        assert all(float(x * Fraction(shape)) < 1e-3 for x in drawn)
        assert np.mean([float(x * Fraction(shape)) for x in drawn]) == pytest.approx(-1, abs=6 / math.sqrt(20))


def laplace(b, size, exponent, seed):
    return numbers(laws.Laplace(b), size, exponent=exponent, source=FrozenBits(seed)).fractions


@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1.0, 1e20, 1e300, Fraction(1, 3), Fraction(10**400, 3)])
def test_noise_of_any_scale(scale):
    """In units of its scale, Laplace noise on the same bits is the same number to the grid's last place."""
    for x, y in zip(laplace(scale, 20, 1100, 3), laplace(Fraction(1), 20, 1100, 3), strict=True):
        assert abs(x - y * Fraction(scale)) <= (1 + Fraction(scale)) / 2**1100


@pytest.mark.parametrize("rate", [1e-300, 1e-15, 0.5, 1e4, Fraction(1, 3)])
def test_two_sided_geometric_at_any_rate(rate):
    t = Tape(FrozenBits(4))
    drawn = [t.draw(laws.TwoSidedGeometric(rate)) for _ in range(50)]
    assert all(type(k) is int for k in drawn)
    if rate < 1e-10:
        assert max(map(abs, drawn)) > 0.1 / rate
        assert len(set(drawn)) == 50
    if rate == 1e4:
        assert set(drawn) == {0}  # another number with probability e⁻¹⁰⁰⁰⁰


def test_a_third_is_a_third():
    """A scale of 1/3 as a rational and as a float are two laws: the same bits give other numbers on a fine grid."""
    rational, near, unit = (laplace(b, 5, 200, 5) for b in (Fraction(1, 3), 1 / 3, 1))
    assert all(abs(x - y / 3) < Fraction(2, 2**200) for x, y in zip(rational, unit, strict=True))
    assert all(abs(x - y / 3) > Fraction(1, 2**70) for x, y in zip(near, unit, strict=True))


def test_no_law_has_a_scale_shape_or_rate_of_nothing():
    for law in (laws.Laplace, laws.LogGamma, laws.TwoSidedGeometric, lambda v: laws.Gaussian(0, v)):
        for bad in (0, -1.0, Fraction(-1, 3)):
            with pytest.raises(InputError, match="must be above 0"):
                law(bad)


def test_arrangements_of_draws():
    law = laws.Gaussian(0, 1)
    assert numbers(law).shape == ()
    assert numbers(law, 1).shape == (1,)
    assert numbers(laws.LogitDirichlet([1, 2, 3])).shape == (2,)
    assert numbers(laws.LogitDirichlet([1, 2, 3]), 4).shape == (4, 2)
    assert one_each([law] * 6, (2, 3)).shape == (2, 3)
    assert integers(laws.TwoSidedGeometric(1), 3).dtype == np.int64


# -- arguments ---------------------------------------------------------------------------------------------------------

MECHANISMS = {
    "direct": DirectPosterior(BETA, PRIOR, N),
    "diffused": DiffusedPosterior(BETA, PRIOR, N, 0.5),
    "concentrated": ConcentratedPosterior(BETA, PRIOR, N, 0.5),
    "mean": DirectPosterior(GaussianMean(1.0, 3.0), (0.0, 4.0), N),
    "gaussian": GaussianStatistic(BETA, PRIOR, N, 3.0),
    "laplace": LaplaceStatistic(BETA, PRIOR, N, 0.5),
    "query": StatisticalQuery(ConcentratedPosterior(BETA, PRIOR, N, 0.5)),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_one_data_set_a_call(name):
    """Five bits are five data sets of one record to `simulate`, and five times the price."""
    for data in ([1, 0, 0, 1, 1], np.array([32.0])):
        with pytest.raises(InputError, match="one data set"):
            MECHANISMS[name].release(data)
    assert MECHANISMS[name].release(32).shape == ()
    assert MECHANISMS[name].release(np.float64(32), 5).shape == (5,)


def test_one_row_of_counts_a_call():
    counts, dirichlet = LaplaceCounts(1.0), DirectPosterior(DirichletCategorical(), (2.0, 3.0, 9.0), N)
    for release, rows in ((counts.release, [[1, 2], [3, 4]]), (dirichlet.release, [[30, 20], [31, 19]])):
        with pytest.raises(InputError, match="one data set"):
            release(rows)
    assert counts.release([1, 2, 3]).shape == (3,)
    assert counts.release([1, 2, 3], 2).shape == (2, 3)


@pytest.mark.parametrize("size", [0, -1, 1.5, 2.0, True, False, math.nan, math.inf, "3", [3], np.float64(2)])
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_size_is_a_whole_number_from_1(name, size):
    with pytest.raises(InputError, match="whole number of draws"):
        MECHANISMS[name].release(32, size)


@pytest.mark.parametrize("size", [1, 3, np.int64(3)])
def test_whole_sizes_of_any_type(size):
    assert check_size(size) == int(size)
    assert type(check_size(size)) is int


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_generator_or_a_seed_is_refused(name):
    mechanism = MECHANISMS[name]
    with pytest.raises(InputError, match="simulate"):
        mechanism.release(32, np.random.default_rng(1))
    for keyword in ("rng", "seed"):
        with pytest.raises(TypeError, match=keyword):
            mechanism.release(32, **{keyword: np.random.default_rng(1)})
    with pytest.raises(TypeError, match="operating system"):
        Tape(np.random.default_rng(1))


def test_statistics_that_are_no_numbers():
    with pytest.raises(InputError):
        MECHANISMS["direct"].release(math.nan)
    with pytest.raises(InputError, match="shape"):
        row("counts", [[1.0]])
    assert single("sum", np.float64(3)) == 3.0


# mypy refuses what the calls refuse, and only that.
SNIPPET = """
import numpy as np
from dpsampling.numerics.exact.tape import Tape
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import DirectPosterior

rng = np.random.default_rng(1)
mechanism = DirectPosterior(BetaBernoulli(), (6.0, 18.0), 100)
mechanism.release(32)
mechanism.release(32, 5)
mechanism.simulate(32, rng)
mechanism.release(32, rng)  # refused
mechanism.release(32, rng=rng)  # refused
mechanism.release(32, seed=1)  # refused
Tape(rng)  # refused
Tape(1)  # refused
mechanism.simulate(32)  # refused
"""


def test_types_refuse_seeds_and_generators(tmp_path):
    (tmp_path / "snippet.py").write_text(textwrap.dedent(SNIPPET).lstrip("\n"), encoding="utf-8")
    words = [sys.executable, "-m", "mypy", "--config-file", PROJECT / "pyproject.toml", tmp_path / "snippet.py"]
    done = captured(words, cwd=PROJECT)
    refused = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    expected = {i for i, line in enumerate(SNIPPET.lstrip("\n").splitlines(), 1) if line.endswith("# refused")}
    assert refused == expected, done.stdout
