"""What stands around the compiled chains: mechanisms, splits, scores, pictures, diagnostics, and their tables."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from planted_logs import small

import tables
from dpsampling.errors import InputError
from dpsampling.event_logs import chains, mechanisms, names, pictures, schema, splits, sweep
from dpsampling.numerics import diagnostics
from dpsampling.numerics.randomness import stream
from dpsampling.privacy.guarantee import Pure
from reproduction.experiments.warlogs import styles
from reproduction.experiments.warlogs.conditionals.table import loss
from reproduction.experiments.warlogs.convergence.table import adjusted_rand
from reproduction.experiments.warlogs.costs.table import largest_loss, largest_move
from reproduction.experiments.warlogs.pictures.claims import _median_change
from reproduction.experiments.warlogs.states_recovered.table import recovered
from reproduction.experiments.warlogs.states_used.table import LEAST, count_used
from reproduction.stages import experiment_contract

SIZES = (13, 149, 2, 2, 2)


# -- mechanisms -----------------------------------------------------------------------------------------------------


def test_the_sensitivity_of_ops_is_the_largest_log_likelihood_ratio_of_one_entry():
    """By search over all pairs of outcomes and the corners of the truncated simplices."""
    sizes, m = (3, 2), 7.0
    worst = 0.0
    for k in sizes:
        floor = 1.0 / (m * k)
        corners = [[1.0 - (k - 1) * floor if i == j else floor for i in range(k)] for j in range(k)]
        worst += max(math.log(c[i] / c[j]) for c in corners for i, j in itertools.permutations(range(k), 2))
    ops = mechanisms.OnePosteriorSample(1.0, m)
    assert ops.sensitivity(sizes) == pytest.approx(worst, rel=1e-14)
    assert ops.temperature(sizes) == pytest.approx(2.0 * worst, rel=1e-9)
    assert ops.temperature(sizes) >= 2.0 * worst


def test_ops_promises_what_is_certain_and_says_what_convergence_would_save():
    ops = mechanisms.OnePosteriorSample(5.0, 100.0)
    guarantee = ops.guarantee(SIZES, chains.Model(3).updates)
    assert isinstance(guarantee, Pure)
    assert guarantee.epsilon == 2000.0
    (converged,) = (c for c in guarantee.conditions if "converged" in c)
    assert converged == "ε would be 5 if the chain had converged, which nothing shows"
    exact = ops.guarantee(SIZES, chains.Model(1).updates)
    assert (exact.epsilon, len(exact.conditions)) == (5.0, 1)


@pytest.mark.parametrize("kind", [mechanisms.NoisyCounts(2.0), mechanisms.OnePosteriorSample(2.0, 10.0)])
def test_a_guarantee_names_whom_it_protects(kind):
    assert kind.guarantee(SIZES, 1).conditions == ("neighbours: replace one row",)
    patients = replace(kind, unit=schema.Unit("patient", 3))
    assert patients.guarantee(SIZES, 1).conditions == ("neighbours: replace all rows of one patient (at most 3)",)
    assert patients.guarantee(SIZES, 1).epsilon == 2.0


def test_all_rows_of_a_unit_are_worth_its_epsilon():
    """Three rows of one patient against three others: 3 times the L1 distance, and the log-likelihood ratio, of one."""
    unit = schema.Unit("patient", 3)
    noisy, ops = mechanisms.NoisyCounts(0.5, unit=unit), mechanisms.OnePosteriorSample(0.5, 10.0, unit)
    move = unit.most * int(largest_move(SIZES))
    assert noisy.rate(len(SIZES)) * move == Fraction(0.5)
    assert noisy.scale(len(SIZES)) >= 1 / noisy.rate(len(SIZES))
    loss = unit.most * largest_loss(SIZES, 10.0)
    assert loss / ops.temperature(SIZES) <= 0.5 < loss / ops.temperature(SIZES) * (1 + 1e-9)
    alone = mechanisms.NoisyCounts(0.5), mechanisms.OnePosteriorSample(0.5, 10.0)  # what they would lose
    assert alone[0].rate(len(SIZES)) * move == 3 * Fraction(0.5)
    assert loss / alone[1].temperature(SIZES) > 1.4


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 2.0, 1e-5])
def test_a_level_is_no_more_than_what_was_typed_and_no_more_than_its_float(epsilon):
    level = mechanisms.NoisyCounts(epsilon).level
    assert level <= Fraction(epsilon)
    assert level <= Fraction(repr(epsilon))
    assert float(level) == epsilon


def test_an_untempered_posterior_costs_no_more_than_its_own_loss():
    ops = mechanisms.OnePosteriorSample(1000.0, 10.0)
    assert ops.temperature(SIZES) == 1.0
    assert ops.guarantee(SIZES, 1).epsilon == pytest.approx(2.0 * ops.sensitivity(SIZES), rel=1e-9)


def test_replacing_an_entry_moves_the_counts_by_two_a_feature():
    """The scale 2D/ε is the L1 distance of neighbouring count matrices over ε, by brute force over replacements."""
    rng = np.random.default_rng(1)
    sizes, cells = (3, 2, 4), 5
    entries = [(rng.integers(cells), *(rng.integers(k) for k in sizes)) for _ in range(6)]

    def matrix(log):
        counts = np.zeros((cells, sum(sizes)))
        for cell, *outcomes in log:
            for start, outcome in zip((0, 3, 5), outcomes, strict=True):
                counts[cell, start + outcome] += 1
        return counts

    others = itertools.product(range(cells), *(range(k) for k in sizes))
    largest = max(np.abs(matrix(entries) - matrix([other, *entries[1:]])).sum() for other in others)
    assert largest == 2 * len(sizes)
    assert mechanisms.NoisyCounts(0.5).scale(3) == pytest.approx(largest / 0.5, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_bad_levels_are_refused(epsilon):
    with pytest.raises(InputError, match="epsilon is"):
        mechanisms.NoisyCounts(epsilon)
    with pytest.raises(InputError, match="epsilon is"):
        mechanisms.OnePosteriorSample(epsilon, 10.0)
    with pytest.raises(InputError, match="multiplier is 1"):
        mechanisms.OnePosteriorSample(1.0, 1.0)


def test_tables_and_figures_have_one_word_for_each_mechanism():
    kinds = (mechanisms.NonPrivate, mechanisms.NoisyCounts, mechanisms.OnePosteriorSample)
    assert [kind.name for kind in kinds] == [names.NON_PRIVATE, names.LAPLACE, names.OPS]
    assert (names.CLIP, names.SUM_THEN_CLIP, names.NOISE_AWARE) == mechanisms.VARIANTS == tuple(styles.LAPLACE)


def test_promises_hold_their_certificates_and_small_lies_do_not():
    """ε of 400 random settings against balls, in which an independent sum of 50 digits lies, but no 1 − 1e-9 of ε."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        epsilon, m = float(10.0 ** rng.uniform(-5.0, 3.0)), float(10.0 ** rng.uniform(0.01, 4.0))
        sizes = tuple(int(k) for k in rng.integers(2, 150, size=rng.integers(1, 6)))
        unit, updates = schema.Unit("patient", int(rng.integers(1, 9))), int(rng.choice([1, 24, 400]))
        ops = mechanisms.OnePosteriorSample(epsilon, m, unit)
        promise = ops.guarantee(sizes, updates)
        held = promise.enclosure
        assert held.upper <= promise.epsilon
        with mpmath.workdps(50):
            floors = [mpmath.mpf(a0) for a0 in ops.floors(sizes).tolist()]
            delta = unit.most * sum(mpmath.log((1 - (k - 1) * a) / a) for a, k in zip(floors, sizes, strict=True))
            assert held.lower <= 2 * updates * delta / mpmath.mpf(ops.temperature(sizes)) <= held.upper
        assert held.upper > promise.epsilon * (1 - 1e-9)
        noisy = mechanisms.NoisyCounts(epsilon, unit=unit)
        held = noisy.guarantee(sizes, updates).enclosure
        assert held.lower <= noisy.rate(len(sizes)) * 2 * len(sizes) * unit.most <= held.upper <= epsilon
        assert held.upper > epsilon * (1 - 1e-9)


# -- what it costs --------------------------------------------------------------------------------------------------


def test_the_searched_losses_are_those_of_every_replacement():
    """By brute force over pairs of entries: the range of Σ_d ln θ_i/θ_j at random points, and all moves."""
    rng = np.random.default_rng(7)
    sizes, m = (3, 2, 4), 6.0
    points = [1.0 / (m * k) + (1.0 - 1.0 / m) * rng.dirichlet(np.full(k, 0.02), 4000) for k in sizes]
    near = sum(
        max(float(np.ptp(np.log(p[:, i] / p[:, j]))) for i in range(k) for j in range(i))
        for p, k in zip(points, sizes, strict=True)
    )
    assert near <= largest_loss(sizes, m) * (1.0 + 1e-12)
    assert near == pytest.approx(largest_loss(sizes, m), rel=1e-3)  # 4000 points come close to the corners
    entries = list(itertools.product(range(2), *(range(k) for k in sizes)))
    assert largest_move(sizes) == max(
        sum(2.0 * ((a[0], a[1 + d]) != (b[0], b[1 + d])) for d in range(len(sizes))) for a in entries for b in entries
    )


@pytest.mark.parametrize("temperature", [1.0, 4.0])
def test_an_update_loses_what_is_searched_and_no_more(temperature):
    """One binary feature, M = 10: the emissions' Beta densities by quadrature, and the odds of a cell's two states."""
    searched = largest_loss((2,), 10.0) / temperature
    floor = 0.05
    x = np.linspace(floor, 1.0 - floor, 200_001)
    losses = []
    for ones, zeros in ((0, 1), (5, 5), (0, 30_000), (30_000, 1)):
        logs = []
        for n, m in ((ones, zeros), (ones + 1, zeros - 1)):
            log = (n * np.log(x) + m * np.log1p(-x)) / temperature
            logs.append(log - log.max() - math.log(np.trapezoid(np.exp(log - log.max()), x)))
        losses.append(float(np.abs(logs[1] - logs[0]).max()))
    assert max(losses) <= searched
    assert max(losses) == pytest.approx(searched, rel=1e-2)
    odds = np.linspace(-60.0, 60.0, 1001)
    tilt = 2.0 * math.log((1.0 - floor) / floor) / temperature  # of state 1 over state 2 at opposite corners
    shares = [-np.log1p(np.exp(-o)) for o in (odds, odds + tilt)]
    assert np.abs(shares[1] - shares[0]).max() == pytest.approx(searched, rel=1e-9)


def test_the_costs_are_promised_and_searched_alike():
    table = tables.made("hmm_costs")
    np.testing.assert_allclose(table["searched"], table["epsilon"], rtol=1e-9)
    assert (table["searched"] <= table["epsilon"] * (1.0 + 1e-12)).all()
    assert set(tables.verdicts("hmm_costs", table).values()) == {"reproduced", "untestable"}


@pytest.mark.parametrize("epsilon", [0.1, 5, 1e5])
def test_no_chain_is_priced_below_what_it_loses(epsilon):
    """2Δ/T in 50 digits, Δ from a₀ = 1/(M K), for an update at each row's temperature."""
    table = tables.made("hmm_costs", epsilon=epsilon, multiplier=37, logs=["iraq"])
    rows = table[table["temperature"] > 0]
    sizes = [len(feature.outcomes) for feature in schema.load("iraq").features]
    floors = mechanisms.OnePosteriorSample(float(epsilon), 37.0).floors(tuple(sizes)).tolist()
    with mpmath.workdps(50):
        exact = [(1 - (k - 1) * mpmath.mpf(a0)) / mpmath.mpf(a0) for k, a0 in zip(sizes, floors, strict=True)]
        loss = 2 * sum(mpmath.log(ratio) for ratio in exact)
        for row in rows.to_dict("records"):
            assert loss / mpmath.mpf(row["temperature"]) <= mpmath.mpf(row["per_update"])
            assert row["per_update"] * row["updates"] <= row["epsilon"] * (1 + 1e-15)
    same = rows.set_index("setting").loc["every sample released at ε"]
    assert same["per_update"] <= epsilon / same["updates"]
    assert rows["per_update"].max() == rows["per_update"].iloc[-1]


@pytest.mark.parametrize(
    ("claim", "setting", "factor"),
    [
        ("worst-case", "if it may not have converged", 1.01),
        ("laplace", "whatever the chain does", 2.0),  # noise of half the scale
        ("gibbs", "every sample released, same temperature", 1.01),
    ],
)
def test_a_mechanism_that_loses_more_than_it_promises_is_noticed(claim, setting, factor):
    table = tables.made("hmm_costs")
    table.loc[table["setting"] == setting, "searched"] *= factor
    found = tables.verdicts("hmm_costs", table)
    assert found.pop(claim) == "refuted"
    assert "refuted" not in found.values()


@pytest.mark.parametrize(("floor", "sure"), [(0.01, 1.1), (0.1, 1.2)])
def test_one_coordinate_after_another_costs_more_than_the_truncated_dirichlet(floor, sure):
    """The largest loss at lopsided counts, in 30 digits: that of the right law within 2Δ, that of the other beyond."""
    a, b = [1001, 2, 31], [1002, 1, 31]  # an entry of the second outcome becomes one of the first
    x = (floor, 1 - 2 * floor, floor)

    def beta(p, q, low, high):
        return mpmath.betainc(p, q, low, high)

    def sequential(shapes):
        p, q, r = shapes
        rest, low = 1 - x[0], floor / (1 - x[0])
        begin = (p - 1) * mpmath.log(x[0]) + (q + r - 1) * mpmath.log(rest)
        then = (q - 1) * mpmath.log(x[1] / rest) + (r - 1) * mpmath.log(x[2] / rest)
        return begin + then - mpmath.log(beta(p, q + r, floor, 1 - 2 * floor) * beta(q, r, low, 1 - low))

    with mpmath.workdps(30):
        found = abs(sequential(b) - sequential(a))
    promised = 2 * math.log((1 - 2 * floor) / floor)
    here = loss(np.array(a, float), np.array(b, float), floor, printed=True)
    assert here == pytest.approx(float(found), rel=1e-6)
    assert here > sure * promised
    assert here < promised + math.log((1 - floor) / (2 * floor))
    assert loss(np.array(a, float), np.array(b, float), floor, printed=False) <= promised


# -- chains ---------------------------------------------------------------------------------------------------------


def run(counts, trained, mechanism, states=2, seed=3, **changes):
    model = chains.Model(states, iterations=30, burn_in=10, **changes)
    return sweep.run(counts, trained, model, mechanism, stream(seed, "warlogs"), 0)


EVERY = [
    mechanisms.NonPrivate(),
    *(mechanisms.NoisyCounts(1.0, v) for v in mechanisms.VARIANTS),
    mechanisms.OnePosteriorSample(1.0, 10.0),
]


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: f"{m.name}-{m.variant}")
def test_held_out_cells_never_touch_the_chain(mechanism):
    counts = small()
    trained = np.ones((2, 6), dtype=bool)
    trained[0, 2] = trained[1, 5] = False
    other = counts.counts.copy()
    other[~trained] = other[~trained][:, [1, 2, 0, 4, 3]] * 3
    a, b = run(counts, trained, mechanism), run(replace(counts, counts=other), trained, mechanism)
    assert (a.states == b.states).all()
    assert (a.probabilities == b.probabilities).all()
    assert (a.log_joint == b.log_joint).all()
    assert not (a.mixture == b.mixture).any()


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: f"{m.name}-{m.variant}")
def test_emissions_are_distributions_and_ops_keeps_them_above_its_floors(mechanism):
    found = run(small(), np.ones((2, 6), dtype=bool), mechanism)
    np.testing.assert_allclose(np.add.reduceat(found.probabilities, [0, 3], axis=1), 1.0, rtol=1e-12)
    if mechanism.name == "ops":
        assert (found.probabilities >= np.repeat(mechanism.floors((3, 2)), (3, 2)) * (1.0 - 1e-12)).all()


def test_naive_bayes_noises_corpus_counts_and_not_cells():
    """With noise of scale b on one vector the clipped mean of an unused outcome is near b/2, not cells times that."""
    counts = small(regions=8, months=12, entries=1000)
    moved = counts.counts.copy()
    moved[..., 0] += moved[..., 2]
    moved[..., 2] = 0
    counts = replace(counts, counts=moved)
    shares = [
        run(counts, np.ones((8, 12), dtype=bool), mechanisms.NoisyCounts(0.1), states=1, seed=s).probabilities[0, 2]
        for s in range(200)
    ]
    spurious = np.mean(shares) * 96_000
    scale = mechanisms.NoisyCounts(0.1).scale(2)
    assert 0.3 * scale < spurious - 1.0 < 0.8 * scale  # b/2 = .5 b, its standard error .06 b: error rate below 1e-3


def test_a_model_of_one_state_has_one_way_to_clip():
    with pytest.raises(InputError, match="one state has no variant 'noise-aware'"):
        run(small(), np.ones((2, 6), dtype=bool), mechanisms.NoisyCounts(1.0, "noise-aware"), states=1)


@pytest.mark.parametrize(("changes", "words"), [({"burn_in": 30}, "burn_in is 30"), ({"states": 0}, "states is 0")])
def test_models_that_cannot_be(changes, words):
    with pytest.raises(InputError, match=words):
        chains.Model(**{"states": 2, "iterations": 30, "burn_in": 10} | changes)


def test_noise_on_whole_numbers_has_the_kernel_of_the_noise_aware_chain():
    """E(y; μ)·tanh(1/(2b)) is the law of Poisson(μ) plus two-sided geometric noise: by sums in 50 digits; 1 in all.

    The factor of continuous noise, 1/(2b), would sum to something else: the kernel is the same, the law is not.
    """
    from dpsampling.event_logs import latent

    b, mu = 1.7, 4.3
    with mpmath.workdps(50):
        factor = mpmath.tanh(1 / mpmath.mpf(2 * b))
        poisson = [mpmath.exp(-mu) * mpmath.mpf(mu) ** n / mpmath.factorial(n) for n in range(80)]
        for y in (-6, -1, 0, 1, 3, 4, 5, 9, 30):
            law = sum(p * factor * mpmath.exp(-abs(y - n) / mpmath.mpf(b)) for n, p in enumerate(poisson))
            assert latent.log_evidence(float(y), mu, b) == pytest.approx(float(mpmath.log(law / factor)), abs=1e-12)
    everywhere = math.fsum(math.exp(latent.log_evidence(float(y), mu, b)) for y in range(-80, 120))
    assert everywhere * float(factor) == pytest.approx(1.0, rel=1e-12)
    assert abs(everywhere / (2.0 * b) - 1.0) > 0.01


# -- splits and scores ----------------------------------------------------------------------------------------------


def test_splits_hold_out_a_tenth_of_the_cells_each():
    counts = small(regions=5, months=12)
    trained = splits.draw(counts, 4, 0.1, stream(1, "warlogs"))
    assert (~trained).sum(axis=(1, 2)).tolist() == [6, 6, 6, 6]
    assert len({mask.tobytes() for mask in trained}) == 4
    more = splits.draw(counts, 6, 0.1, stream(1, "warlogs"))
    assert (more[:4] == trained).all()  # a longer list leaves the first ones as they are


def test_a_share_that_leaves_nothing_is_refused():
    with pytest.raises(InputError, match="at least one must be left"):
        splits.draw(small(), 2, 0.99, stream(1, "warlogs"))


def test_scores_by_their_definition():
    held = sweep.Held(
        "small", "HMM", "laplace", "clip", 1.0, 0, 7, np.log([[0.2, 0.5], [0.4, 0.1]]), np.log([[0.3, 0.3], [0.1, 0.7]])
    )
    table = sweep.evaluate([held]).set_index("definition")["score"]
    assert table["predictive"] == pytest.approx((math.log(0.3) + math.log(0.3)) / 7, rel=1e-13)
    assert table["literal"] == pytest.approx((math.log(0.2) + math.log(0.5)) / 7, rel=1e-13)


def test_ops_is_scored_by_its_last_sample_alone():
    counts = small()
    trained = splits.draw(counts, 1, 0.2, stream(1, "warlogs"))
    params = {"states": 2, "alpha": 1, "beta": 1, "iterations": 20, "burn_in": 5, "multipliers": [10]}
    kept = {(h.model, h.mechanism): len(h.mixture) for h in sweep.fits(counts, trained, 1.0, params, stream(1, "w"))}
    assert kept[("HMM", "ops")] == kept[("naive Bayes", "ops")] == 1
    assert kept[("HMM", "laplace")] == kept[("naive Bayes", "laplace")] == 15


def test_gathered_differences_are_paired_by_split():
    rows = [
        ("l", "HMM", name, "v", epsilon, split, "predictive", 5, score)
        for name, epsilon, scores in (("non-private", math.inf, (-3.0, -5.0)), ("laplace", 1.0, (-3.5, -5.5)))
        for split, score in enumerate(scores)
    ]
    table = sweep.gather([pd.DataFrame(rows, columns=list(sweep.SCORE_COLUMNS))]).set_index("mechanism")
    assert table.loc["laplace", "mean"] == -4.5
    assert table.loc["laplace", "sem"] == pytest.approx(1.0)
    assert table.loc["laplace", "paired_mean"] == -0.5
    assert table.loc["laplace", "paired_sem"] == 0.0


def test_a_point_does_not_depend_on_the_other_points_of_its_sweep():
    alone = {"rows": 0.02, "iterations": 20, "burn_in": 10, "splits": 2, "logs": ["afghanistan"]}
    both = tables.made("fig4_6", seed=5, **alone, epsilons=[1, 5])
    one = tables.made("fig4_6", seed=5, **alone, epsilons=[5], multipliers=[100])
    key = ["model", "mechanism", "variant", "epsilon", "definition"]
    left, right = both.set_index(key)["mean"], one.set_index(key)["mean"]
    assert (left.loc[right.index] == right).all()


# -- pictures and diagnostics ---------------------------------------------------------------------------------------


def test_states_are_numbered_from_the_calmest():
    counts = small()
    states = np.zeros((4, 2, 6), np.int8)
    states[:3, 0, 0] = 1
    states[:, 1, 1] = 1
    found = pictures.arranged(
        counts, states, np.array([[0.2, 0.3, 0.5, 0.6, 0.4], [0.5, 0.3, 0.2, 0.9, 0.1]]), released=slice(None)
    )
    assert found.probabilities[:, 4].tolist() == [0.1, 0.4]
    assert found.usual[0, 0] == found.usual[1, 1] == 1
    assert found.frequency[0, 0] == 0.75
    assert found.last[0, 0] == 2
    assert found.last[1, 1] == 1
    assert (found.usual.ravel() == 2).sum() == 10


def test_without_civilians_the_fullest_state_is_the_first():
    counts = replace(small(), features=("kind", "seen"))
    states = np.ones((1, 2, 6), np.int8)
    states[0, 0, 0] = 0
    assert pictures.arranged(counts, states, np.full((2, 5), 0.5), released=slice(None)).usual[1, 1] == 1


def test_the_labels_of_ops_are_read_off_its_released_sample_alone():
    counts = replace(small(), features=("kind", "seen"))
    rng = np.random.default_rng(5)
    states = rng.integers(0, 2, size=(9, 2, 6)).astype(np.int8)
    other = np.concatenate([1 - states[:-1], states[-1:]])
    ops = pictures.released(mechanisms.OnePosteriorSample(1.0, 10.0))
    a = pictures.arranged(counts, states, rng.dirichlet(np.ones(5), 2), released=ops)
    assert (a.last == pictures.arranged(counts, other, np.full((2, 5), 0.5), released=ops).last).all()


def test_r_hat_and_effective_size_of_known_chains():
    rng = np.random.default_rng(4)
    white = rng.normal(size=(4, 2000))
    assert diagnostics.split_r_hat(white) == pytest.approx(1.0, abs=0.01)
    assert diagnostics.effective_size(white) == pytest.approx(8000, rel=0.1)
    assert diagnostics.split_r_hat(white + np.arange(4)[:, None]) > 1.3
    assert diagnostics.split_r_hat(white + np.linspace(0, 3, 2000)) > 1.2  # a trend, the same in all chains
    slow = np.zeros((4, 20000))
    for t in range(1, 20000):
        slow[:, t] = 0.8 * slow[:, t - 1] + rng.normal(size=4)
    assert diagnostics.effective_size(slow) == pytest.approx(80000 * (1 - 0.8) / (1 + 0.8), rel=0.15)
    assert diagnostics.split_r_hat(np.ones((2, 10))) == 1.0


def test_agreement_of_partitions():
    a = np.array([0, 0, 1, 1, 2, 2])
    assert adjusted_rand(a, (a + 1) % 3) == 1.0
    assert adjusted_rand(a, np.array([0, 1, 0, 1, 0, 1])) < 0.01
    assert adjusted_rand(a, np.zeros(6, int)) == 0.0


def test_recovery_and_states_in_use():
    planted = np.array([[1, 1, 2, 2]])
    assert recovered(np.array([[[3, 0, 1, 1]]] * 3, np.int8), planted) == 1.0
    assert recovered(np.zeros((2, 1, 4), np.int8), planted) == 0.5
    held = np.array([0] * 95 + [1] * 5)
    assert count_used(held, np.ones(100), LEAST) == 1
    assert count_used(held, np.ones(100), 0.0) == 2
    assert count_used(held, np.arange(100), LEAST) == 2  # the last cells hold most
    assert count_used(np.array([0] * 94 + [1] * 6), np.ones(100), LEAST) == 2


def test_a_picture_shows_states_that_the_model_has():
    with pytest.raises(InputError, match="state is 3; the model has the states 1 to 2"):
        tables.made("fig4_4", state=3)
    params = tables.made("fig4_3", rows=0.01, iterations=4, burn_in=2).attrs["parameters"]
    with pytest.raises(InputError, match="add the parameter state"):
        experiment_contract.check("warlogs.pictures", params | {"view": "distributions"})


def test_views_of_one_model_show_the_same_fit():
    small = {"rows": 0.01, "iterations": 6, "burn_in": 2}
    cells, emitted, whole = (tables.made(e, **small) for e in ("fig4_3", "fig4_4", "supp4_3"))
    columns = ["region", "month", "state", "frequency"]
    pd.testing.assert_frame_equal(cells[columns], whole[whole["kind"] == "last 4 samples"][columns])
    rows = whole[(whole["kind"] == "distribution") & (whole["state"] == 1)]
    assert emitted["probability"].tolist() == rows["probability"].tolist()


def test_the_change_of_state_is_found_where_it_is():
    months = [f"{2004 + i // 12}-{i % 12 + 1:02d}" for i in range(60)]
    peak = months.index("2007-09")
    changing = [2] * (peak + 5) + [1] * (60 - peak - 5)
    assert _median_change([changing] * 3 + [[1] * 60], months) == 5.0
    assert _median_change([changing[9:] + [1] * 9] * 3, months) == -4.0
    assert _median_change([[1] * 60, [2] * 60, changing], months) == -math.inf
