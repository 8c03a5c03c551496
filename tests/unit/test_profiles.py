"""Profile mechanisms against fractions, fixed points and dense programs that share no code with them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import profile_reference as reference
from dpsampling.errors import InputError
from dpsampling.profiles import composition, duality, linear_programs, solvers, symmetric_chain
from dpsampling.profiles.composition import independent_observations, independent_selections, loss, same_observation
from dpsampling.profiles.exact import GRID, ExactGraph, exp_below, log_above
from dpsampling.profiles.graph import ProfileGraph, bernoulli, categorical, chain
from dpsampling.profiles.mechanism import ProfileMechanism
from dpsampling.profiles.solvers import cluster, randomized_response, response_flip, smooth_categorical, smooth_one_bit
from reproduction.experiments.profiles.sizes.table import random_graph

LEVELS = [1e-4, 0.03, 0.5, 3.0, 20.0]
TABLE_7_1 = [[0.2, 0.3, 0.4, 0.1], [0.3, 0.3, 0.3, 0.1], [0.4, 0.4, 0.1, 0.1]]
BITS = (cluster, smooth_one_bit, smooth_categorical, randomized_response)


def assert_private(mechanism):
    graph = mechanism.graph
    assert not reference.violations(graph.probabilities, mechanism.matrices, graph.edges.tolist(), mechanism.epsilon)
    assert mechanism.verified_epsilon <= mechanism.epsilon


def some_graph(rng, size, d, edges):
    """Profiles among which some are corners, some equal; edges at random, so that some stand alone."""
    P = rng.dirichlet(np.ones(d), size)
    P[rng.random(size) < 0.3] = np.eye(d)[rng.integers(d)]
    P[-1] = P[0]
    pairs = {tuple(sorted(rng.choice(size, 2, replace=False).tolist())) for _ in range(edges)}
    return categorical(P, sorted(pairs))


# -- the closed form and the cluster ---------------------------------------------------------------------------------

EDGES_OF_P = [0.0, 1e-300, 1e-9, 0.1, 0.3, 0.5, 0.50001, 0.9, 0.95, 1 - 1e-9, 1.0]


@pytest.mark.parametrize("epsilon", LEVELS)
def test_closed_form_and_mechanism_are_the_least_flip_of_two_profiles(epsilon):
    for p in EDGES_OF_P:
        for q in EDGES_OF_P:
            least = reference.least_flip(p, q, epsilon)
            assert solvers.two_profile_flip(p, q, epsilon) == pytest.approx(least, abs=1e-12)
            mechanism = cluster(bernoulli([p, q], [(0, 1)]), epsilon)
            assert least - 2.0**-52 <= mechanism.largest_flips[0] <= least + 1e-12
            assert mechanism.largest_flips[0] == mechanism.largest_flips[1]


def test_observation_10_as_printed_is_no_probability():
    # p = .9, .95 at ε = 1: the ratios are .95/.9 and .1/.05 = 2 < e.
    assert reference.least_flip(0.9, 0.95, 1.0) == 0.0 == solvers.two_profile_flip(0.9, 0.95, 1.0)
    D, E, growth = 0.95 - math.e * 0.9, 0.1 - math.e * 0.05, math.e - 1
    assert max(D / (2 * D + growth), E / (2 * E + growth)) == pytest.approx(1.174, abs=1e-3)


@pytest.mark.parametrize("epsilon", [1e-3, 0.2, 2.0])
def test_cluster_is_the_largest_flip_of_its_component(epsilon):
    p = [0.1, 0.5, 0.2, 0.9, 0.95, 0.4]
    edges = [(0, 1), (1, 2), (3, 4)]
    flips = cluster(bernoulli(p, edges), epsilon).largest_flips
    needed = [reference.least_flip(p[i], p[j], epsilon) for i, j in edges]
    assert flips == pytest.approx([max(needed[:2])] * 3 + [needed[2]] * 2 + [0.0], abs=1e-12)


# -- exactness -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("solver", BITS)
def test_every_constraint_holds_in_fractions_for_bits(solver, epsilon):
    rng = np.random.default_rng(1)
    for _ in range(3):
        p = rng.random(9)
        p[rng.random(9) < 0.3] = 1.0
        p[0] = 0.0
        edges = [*chain(6), (0, 4), (7, 8)]
        assert_private(solver(bernoulli(p, edges), epsilon))
        assert_private(solver(categorical(np.column_stack([p, 1 - p]), edges), epsilon))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), d=st.integers(2, 5), size=st.integers(2, 7), log_epsilon=st.floats(-9.21, 3.0))
def test_every_constraint_holds_in_fractions_for_categories(seed, d, size, log_epsilon):
    graph = some_graph(np.random.default_rng(seed), size, d, size)
    for solver in (smooth_categorical, randomized_response):
        assert_private(solver(graph, math.exp(log_epsilon)))


@pytest.mark.parametrize("epsilon", [1e-15, 1e-9, 37.5, 300.0, 1e4])
def test_levels_beyond_all_use_are_met_too(epsilon):
    for solver in BITS:
        assert_private(solver(bernoulli([0.0, 1.0, 0.3], chain(3)), epsilon))


def test_what_is_checked_is_tight():
    """One unit of 2^-53 less noise, and the constraint is seen to fail, by both computations."""
    mechanism = cluster(bernoulli([0.0, 0.25], [(0, 1)]), 0.5)
    less = mechanism.matrices.copy()
    less[:, [0, 1], [1, 0]] -= 1 / GRID
    less[:, [0, 1], [0, 1]] += 1 / GRID
    assert reference.violations(mechanism.graph.probabilities, less, [(0, 1)], 0.5)
    with pytest.raises(InputError, match=r"more than epsilon = 0\.5 apart"):
        ProfileMechanism(mechanism.graph, 0.5, "less", less)


def test_verified_epsilon_is_the_exact_one():
    mechanism = smooth_categorical(categorical(TABLE_7_1, chain(3)), 0.3)
    P = [[Fraction(v) for v in row] for row in mechanism.graph.probabilities.tolist()]
    A = [[[Fraction(v) for v in row] for row in m] for m in mechanism.matrices.tolist()]
    laws = [[sum(P[i][x] * A[i][x][y] for x in range(4)) for y in range(4)] for i in range(3)]
    ratio = max(a / b for i, j in ((0, 1), (1, 0), (1, 2), (2, 1)) for a, b in zip(laws[i], laws[j], strict=True))
    assert math.log(ratio) == pytest.approx(mechanism.verified_epsilon, abs=1e-15)
    assert 0.3 - 1e-12 < mechanism.verified_epsilon <= 0.3


@pytest.mark.parametrize("epsilon", [1e-15, 1e-4, 1.0, 20.0, 700.0])
def test_bounds_of_exp_and_ln_are_on_the_safe_side_and_close(epsilon):
    from mpmath import mp, mpf

    with mp.workdps(80):
        bound, exact = exp_below(epsilon), mp.exp(mpf(epsilon))
        value = mpf(bound.numerator) / mpf(bound.denominator)
        assert 0 < (exact - value) / exact < mpf(10) ** -56
        assert mp.exp(mpf(log_above(bound))) >= value
    assert math.nextafter(epsilon, 0) <= log_above(bound) <= epsilon
    assert log_above(Fraction(1)) == log_above(Fraction(1, 3)) == 0.0


# -- optimal values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-4, 0.05, 0.3, 1.0, 4.0])
def test_smooth_one_bit_is_the_least_fixed_point_bound(epsilon):
    rng = np.random.default_rng(2)
    for size in (2, 5, 12):
        p = rng.random(size)
        p[0] = 1.0
        edges = [*chain(size), *([(0, size - 1)] if size > 2 else [])]
        mechanism = smooth_one_bit(bernoulli(p, edges), epsilon)
        least = reference.least_largest_flip(p, edges, epsilon)
        assert mechanism.largest_flips.max() == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1.0, 5.0, 15.0])
def test_weak_duality_bounds_the_largest_flip_and_strong_duality_meets_it(epsilon):
    rng = np.random.default_rng(11)
    for d, size in ((2, 6), (3, 5), (4, 4)):
        graph = some_graph(rng, size, d, size + 2)
        optimum = reference.DenseProgram(graph.probabilities, graph.edges.tolist(), epsilon).least_largest()
        assert duality.least_largest_flip(graph, epsilon) == pytest.approx(optimum, abs=1e-7)
        for _ in range(20):  # whatever the weights, the bound holds
            nu = rng.exponential(size=(len(graph.directed), d)) ** 3
            assert duality.bound(graph, epsilon, nu) <= optimum + 1e-7


def test_the_bound_of_some_weights_is_what_every_mechanism_exceeds():
    """By hand: p = 0 and 1, and Pr(1 | P_2) ≤ e^ε Pr(1 | P_1) alone: 1 − t ≤ e^ε t."""
    graph = bernoulli([0.0, 1.0], [(0, 1)])
    assert graph.directed.tolist() == [[0, 1], [1, 0]]
    assert duality.bound(graph, 0.5, np.array([[0.0, 0.0], [0.0, 1.0]])) == pytest.approx(1 / (1 + math.exp(0.5)))


@pytest.mark.parametrize("epsilon", [0.02, 0.3, 1.5])
@pytest.mark.parametrize("size", [2, 3, 6, 9])
def test_a_symmetric_chain_has_one_optimum_and_it_is_the_closed_form(size, epsilon):
    """Every law's least and largest value among the dense program's solutions of least flip and least corruption."""
    half = np.sort(np.random.default_rng(size).random(size // 2)) / 2
    p = np.concatenate([half, [0.5] * (size % 2), 1 - half[::-1]])
    dense = reference.DenseProgram(np.column_stack([1 - p, p]), chain(size), epsilon, one_bit=True)
    dense.least_largest()
    dense.least_corruption()
    ones = symmetric_chain.ones(p, epsilon)
    for i in range(size):
        law = dense.row({(i, 0, 1): 1 - p[i], (i, 1, 1): p[i]})
        assert [dense.solve(law), -dense.solve(-law)] == pytest.approx([ones[i]] * 2, abs=2e-6)
    assert smooth_one_bit(bernoulli(p, chain(size)), epsilon).laws[:, 1] == pytest.approx(ones, abs=1e-9)


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1.0, 5.0, 20.0])
def test_smooth_optima_are_those_of_a_dense_program_and_another_solver(epsilon):
    rng = np.random.default_rng(3)
    for d, size in ((2, 6), (3, 5), (4, 4)):
        graph = some_graph(rng, size, d, size + 2)
        edges = graph.edges.tolist()
        optimum = reference.DenseProgram(graph.probabilities, edges, epsilon).least_largest()
        assert smooth_categorical(graph, epsilon).largest_flips.max() == pytest.approx(optimum, abs=1e-7)
        if d == 2:
            optimum = reference.DenseProgram(graph.probabilities, edges, epsilon, one_bit=True).least_largest()
            assert smooth_one_bit(graph, epsilon).largest_flips.max() == pytest.approx(optimum, abs=1e-7)


@pytest.mark.parametrize("epsilon", [0.02, 0.1, 0.3, 0.7])
def test_ties_are_broken_as_described(epsilon):
    """Three stages by a dense program that keeps each stage's optimum as a row."""
    mechanism = smooth_categorical(categorical(TABLE_7_1, chain(3)), epsilon)
    dense = reference.DenseProgram(TABLE_7_1, chain(3), epsilon)
    assert mechanism.largest_flips.max() == pytest.approx(dense.least_largest(), abs=1e-7)
    assert mechanism.expected_corruption.sum() == pytest.approx(dense.least_corruption(), abs=1e-6)
    assert mechanism.costs == pytest.approx(dense.least_costs(), abs=1e-6)


def test_costs_of_table_7_1_without_the_third_stage_are_not_determined():
    """At ε = .1 category 1 may cost anything from .0715 to .0808; the canonical value is the least."""
    dense = reference.DenseProgram(TABLE_7_1, chain(3), 0.1)
    dense.least_largest()
    dense.least_corruption()
    least = dense._bounded({}, [0])
    assert smooth_categorical(categorical(TABLE_7_1, chain(3)), 0.1).costs[0] == pytest.approx(least, abs=1e-6)
    assert least == pytest.approx(0.0715, abs=1e-4)
    # the most: o_1 of one profile pushed away, one linear program a profile and direction
    most = 0.0
    for i in range(3):
        for sign in (1.0, -1.0):
            value = dense.solve(dense.row({(i, x, 0): sign * TABLE_7_1[i][x] for x in range(4)}))
            most = max(most, abs(sign * value - TABLE_7_1[i][0]))
    assert most == pytest.approx(0.0808, abs=1e-4)


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0])
def test_the_canonical_costs_do_not_depend_on_the_solver(epsilon):
    graph = random_graph(12, 5, 3, np.random.default_rng(4))
    solutions = (linear_programs.solve(graph, epsilon, one_bit=False, solver=s) for s in linear_programs.SOLVERS)
    simplex, interior = solutions
    P = graph.normalised

    def costs(flips):
        laws = P * (1 - flips.sum(axis=2)) + np.einsum("ix,ixy->iy", P, flips)
        return np.abs(laws - P).max(axis=0)

    assert simplex.max() == pytest.approx(interior.max(), abs=1e-9)
    assert costs(simplex) == pytest.approx(costs(interior), abs=1e-7)


@pytest.mark.parametrize("epsilon", [0.02, 0.3, 1.5])
def test_lexicographic_flips_are_the_least_in_that_order(epsilon):
    rng = np.random.default_rng(5)
    for size in (3, 7):
        p = rng.random(size)
        p[1] = 0.0
        edges = [*chain(size), (0, 2)]
        graph = bernoulli(p, edges)
        mechanism = smooth_one_bit(graph, epsilon, lexicographic=True)
        assert mechanism.largest_flips == pytest.approx(reference.lexicographic_flips(p, edges, epsilon), abs=1e-6)
        assert_private(mechanism)
        plain = np.sort(smooth_one_bit(graph, epsilon).largest_flips)[::-1]
        ours = np.sort(mechanism.largest_flips)[::-1]
        first = np.flatnonzero(np.abs(ours - plain) > 1e-9)
        assert not len(first) or ours[first[0]] < plain[first[0]]


def test_lexicographic_matrices_lower_what_the_largest_flip_leaves_free():
    graph = categorical(TABLE_7_1, chain(3))
    plain, better = (np.sort(smooth_categorical(graph, 0.1, lexicographic=on).largest_flips) for on in (False, True))
    assert better[-1] == pytest.approx(plain[-1], abs=1e-9)
    assert better[0] < plain[0] - 0.04
    assert_private(smooth_categorical(graph, 0.1, lexicographic=True))


def test_components_are_solved_each_for_itself():
    rng = np.random.default_rng(6)
    parts = [(rng.dirichlet(np.ones(3), 4), chain(4)), (rng.dirichlet(np.ones(3), 3), chain(3))]
    edges = [*parts[0][1], *[(i + 4, j + 4) for i, j in parts[1][1]]]
    together = categorical(np.concatenate([P for P, _ in parts]), edges)
    both = smooth_categorical(together, 0.2)
    alone = [smooth_categorical(categorical(*part), 0.2) for part in parts]
    for rows, one in zip((slice(0, 4), slice(4, 7)), alone, strict=True):
        assert both.largest_flips[rows].max() == pytest.approx(one.largest_flips.max(), abs=1e-9)
        assert both.expected_corruption[rows].sum() == pytest.approx(one.expected_corruption.sum(), abs=1e-8)
        assert np.abs(both.laws[rows] - together.normalised[rows]).max(axis=0) == pytest.approx(one.costs, abs=1e-7)


def test_no_noise_where_none_is_needed():
    same = categorical([[0.1, 0.2, 0.7]] * 3, chain(3))
    apart = bernoulli([0.5, 0.5, 0.1, 0.9], [(0, 1)])
    mild = categorical(TABLE_7_1, chain(3))
    for graph, epsilon in ((same, 1e-4), (apart, 1e-4), (mild, 1.1)):
        assert (smooth_categorical(graph, epsilon).matrices == np.eye(len(graph.categories))).all()
    for solver in (cluster, smooth_one_bit):
        mechanism = solver(apart, 1e-4)
        assert (mechanism.matrices == np.eye(2)).all()
        assert mechanism.verified_epsilon == 0.0


def test_flips_never_exceed_randomized_response():
    rng = np.random.default_rng(7)
    for epsilon in LEVELS:
        graph = bernoulli(np.append(rng.random(6), [0.0, 1.0]), [*chain(8), (0, 7)])
        for solver in (cluster, smooth_one_bit):
            assert solver(graph, epsilon).largest_flips.max() <= response_flip(2, epsilon)
        matrices = smooth_categorical(some_graph(rng, 5, 4, 6), epsilon)
        assert matrices.largest_flips.max() <= response_flip(4, epsilon) + 1e-9


@pytest.mark.parametrize("d", [2, 3, 7])
def test_randomized_response_is_local_privacy_itself(d):
    for epsilon in LEVELS:
        flip = Fraction(response_flip(d, epsilon))
        keep = 1 - (d - 1) * flip
        assert keep <= reference.growth(epsilon) * flip
        assert float(flip) == pytest.approx(1 / (math.exp(epsilon) + d - 1), abs=2.0**-52)


# -- scale -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spread", ["even", "random"])
def test_a_chain_of_ten_thousand_is_solved(spread):
    p = np.linspace(0, 1, 10_000) if spread == "even" else np.random.default_rng(8).random(10_000)
    assert 0.05 - 1e-12 < smooth_one_bit(bernoulli(p, chain(10_000)), 0.05).verified_epsilon <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1.0])
def test_two_hundred_profiles_of_eight_categories(epsilon):
    assert_private(smooth_categorical(random_graph(200, 8, 4, np.random.default_rng(9)), epsilon))


@pytest.mark.slow
def test_an_even_chain_of_ten_thousand_at_the_least_level():
    mechanism = smooth_one_bit(bernoulli(np.linspace(0, 1, 10_000), chain(10_000)), 1e-4)
    assert_private(mechanism)
    # Its ends want to be far apart: from α, 9999 steps of o ≤ min(e^ε o, 1 − e^−ε(1 − o)) must reach 1 − α.
    low, high = 0.0, 0.5
    for _ in range(45):
        middle = reached = (low + high) / 2
        for _ in range(9_999):
            reached = min(reached * math.exp(1e-4), 1 - (1 - reached) * math.exp(-1e-4))
        low, high = (low, middle) if reached >= 1 - middle else (middle, high)
    assert mechanism.largest_flips.max() == pytest.approx(high, abs=1e-9)


# -- composition -----------------------------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_composition_rules_hold_under_independence(seed):
    rng = np.random.default_rng(seed)
    graph = some_graph(rng, 4, 3, 4)
    first, second = smooth_categorical(graph, 0.3), smooth_categorical(graph, 0.8)
    assert loss(graph, independent_observations(first, second)) <= 1.1 + 1e-9
    prior = rng.dirichlet(np.ones(4))
    for one, other in ((first, second), (second, first)):
        assert loss(graph, independent_selections(one, other, prior)) <= one.epsilon + 1e-9


def test_joint_laws_are_sums_over_everything_hidden():
    rng = np.random.default_rng(10)
    graph = categorical(rng.dirichlet(np.ones(3), 3), chain(3))
    a, b = smooth_categorical(graph, 0.2), randomized_response(graph, 0.5)
    P, A, B = graph.probabilities, a.matrices, b.matrices
    prior, follower = rng.dirichlet(np.ones(3)), [2, 0, 1]
    for i in range(3):
        for y in range(3):
            for z in range(3):
                first = sum(P[i, x] * A[i, x, y] for x in range(3))
                apart = sum(P[i, x] * A[i, x, y] * P[i, w] * B[i, w, z] for x in range(3) for w in range(3))
                twice = sum(P[i, x] * A[i, x, y] * B[i, x, z] for x in range(3))
                drawn = first * sum(prior[q] * P[q, x] * B[q, x, z] for q in range(3) for x in range(3))
                q = follower[i]
                known = first * sum(P[q, x] * B[q, x, z] for x in range(3))
                assert independent_observations(a, b)[i, y, z] == pytest.approx(apart, abs=1e-15)
                assert same_observation(a, b)[i, y, z] == pytest.approx(twice, abs=1e-15)
                assert independent_selections(a, b, prior)[i, y, z] == pytest.approx(drawn, abs=1e-15)
                assert composition.determined_selections(a, b, follower)[i, y, z] == pytest.approx(known, abs=1e-15)


def test_dependence_breaks_both_rules():
    """p = 0 and .1 at ε = .5 with a common flip α = .1/(.2 + e^.5 − 1): the same bit twice costs 1.87, not 1."""
    graph = bernoulli([0.0, 0.1, 0.2, 0.9], [(0, 1)])
    mechanism = cluster(graph, 0.5)
    alpha = 0.1 / (0.2 + math.expm1(0.5))
    expected = math.log((0.1 * (1 - alpha) ** 2 + 0.9 * alpha**2) / alpha**2)
    assert expected > 1.5
    assert loss(graph, same_observation(mechanism, mechanism)) == pytest.approx(expected, rel=1e-9)
    assert loss(graph, composition.determined_selections(mechanism, mechanism, [2, 3, 0, 1])) > 1.0
    # Flips of their own: the same bit twice tells p = 0 from p = .1 for certain, by two different outputs.
    own = smooth_one_bit(graph, 0.5)
    assert loss(graph, same_observation(own, own)) == math.inf


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: categorical([[0.5, 0.4], [0.5, 0.5]], [(0, 1)]), ["profile '1' sums to 0.9", "sum to 1"]),
        (lambda: categorical([[1.2, -0.2], [0.5, 0.5]], [(0, 1)]), ["profile '1' has 1.2", "between 0 and 1"]),
        (lambda: categorical([[math.nan, 0.5], [0.5, 0.5]], [(0, 1)]), ["profile '1' has nan"]),
        (lambda: categorical([[1.0], [1.0]], [(0, 1)]), ["1 categories", "two or more"]),
        (lambda: categorical([[0.5, 0.5], [0.2, 0.3, 0.5]], [(0, 1)]), ["different numbers of categories"]),
        (lambda: categorical([0.5, 0.5], [(0, 1)]), ["1 dimensions"]),
        (lambda: bernoulli([], []), ["no profiles"]),
        (lambda: bernoulli([0.1, 0.2], []), ["no edges"]),
        (lambda: bernoulli([0.1, 0.2], [(0, 2)]), ["row 2", "0 to 1"]),
        (lambda: bernoulli([0.1, 0.2], [(-1, 0)]), ["row -1"]),
        (lambda: bernoulli([0.1, 0.2], [(0.5, 1)]), ["whole numbers"]),
        (lambda: bernoulli([0.1, 0.2], [(1, 1)]), ["profile '2' with itself"]),
        (lambda: ProfileGraph(("a", "a"), ("0", "1"), np.eye(2), np.array([[0, 1]])), ["profile 'a' is named twice"]),
        (lambda: ProfileGraph(("a", "b"), ("x", "x"), np.eye(2), np.array([[0, 1]])), ["category 'x' is named twice"]),
        (lambda: ProfileGraph(("a", "b"), ("x", "y"), np.eye(3), np.array([[0, 1]])), ["shape (3, 3)"]),
        (lambda: smooth_categorical(bernoulli([0, 1], [(0, 1)]), 0.0), ["epsilon is 0", "above 0"]),
        (lambda: smooth_one_bit(bernoulli([0, 1], [(0, 1)]), -1.0), ["epsilon is -1"]),
        (lambda: cluster(bernoulli([0, 1], [(0, 1)]), math.nan), ["epsilon is nan"]),
        (lambda: randomized_response(bernoulli([0, 1], [(0, 1)]), math.inf), ["epsilon is inf"]),
        (lambda: solvers.two_profile_flip(0.1, 0.2, 0.0), ["epsilon is 0"]),
        (lambda: cluster(categorical(TABLE_7_1, chain(3)), 1.0), ["two categories", "have 4"]),
        (lambda: smooth_one_bit(categorical(TABLE_7_1, chain(3)), 1.0), ["two categories"]),
    ],
)
def test_bad_input_is_one_sentence(make, words):
    with pytest.raises(InputError) as caught:
        make()
    message = str(caught.value)
    assert message.count("\n") == 0
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("matrices", "words"),
    [
        (np.full((2, 2, 2), 1 / 3), "multiple of 2"),
        (np.array([[[0.5, 0.25], [0, 1]], [[1, 0], [0, 1]]]), "sum to exactly 1"),
        (np.array([[[1.5, -0.5], [0, 1]], [[1, 0], [0, 1]]]), "between 0 and 1"),
        (np.eye(2), "shape"),
        (np.stack([np.eye(2)] * 2), "apart"),
    ],
)
def test_a_mechanism_that_is_none_cannot_be_made(matrices, words):
    with pytest.raises(InputError, match=words):
        ProfileMechanism(bernoulli([0.0, 1.0], [(0, 1)]), 0.5, "bad", matrices)


def test_an_edge_counts_once_and_in_both_directions():
    P = [0.1, 0.6, 0.3]
    once, often = (bernoulli(P, edges) for edges in ([(0, 1)], [(0, 1), (1, 0), (0, 1)]))
    assert once.edges.tolist() == often.edges.tolist() == [[0, 1]]
    assert once.fingerprint == often.fingerprint != bernoulli(P, [(0, 2)]).fingerprint


def test_sums_that_are_off_by_printing_are_divided_out():
    graph = categorical([[0.3333333333, 0.3333333333, 0.3333333334], [0.2, 0.3, 0.5000000001]], [(0, 1)])
    mechanism = smooth_categorical(graph, 0.1)
    assert not ExactGraph(graph, 0.1).violated(mechanism.matrices)
    assert mechanism.laws.sum(axis=1) == pytest.approx(1.0, abs=1e-15)


# -- sampling --------------------------------------------------------------------------------------------------------


def test_a_draw_is_the_interval_its_bits_fall_into(monkeypatch):
    mechanism = smooth_categorical(categorical(TABLE_7_1, chain(3)), 0.1)
    units = (mechanism.matrices * GRID).astype(np.int64)
    for x in range(4):
        ends = np.cumsum(units[0, x])
        for y in range(4):
            if units[0, x, y]:
                for bits in (ends[y] - units[0, x, y], ends[y] - 1):
                    word = (int(bits) << 11 | 0x5A5).to_bytes(8, "little")
                    monkeypatch.setattr("dpsampling.numerics.exact.bits.fresh", lambda count, w=word: w * (count // 8))
                    assert mechanism.release(0, x) == y


def test_a_release_reads_eight_fresh_bytes_an_observation(monkeypatch):
    asked = []
    monkeypatch.setattr("dpsampling.numerics.exact.bits.fresh", lambda count: asked.append(count) or bytes(count))
    assert smooth_categorical(categorical(TABLE_7_1, chain(3)), 0.1).release([0, 1, 2], [0, 0, 0]).shape == (3,)
    assert asked == [24]
