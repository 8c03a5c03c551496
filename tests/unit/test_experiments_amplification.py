"""Chapter 6's tables and claims: the papers' parameters, numbers by another route, and planted errors."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from mpmath import mp, mpf

from dpsampling.amplification import mixing
from dpsampling.amplification.kernels import Kernel
from dpsampling.amplification.names import CONVEX, DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, OPTIMAL, PRINTED
from reproduction.experiments.amplification import random_kernels
from reproduction.experiments.amplification.implications import IMPLIED, RATIO
from reproduction.experiments.amplification.iterated_laplace import BOUND, EXACT, HIGH
from reproduction.experiments.amplification.iterated_laplace import table as laplace_table
from reproduction.experiments.amplification.post_processing import LOWER, TRIANGLE, UNIFORM
from tables import drawn, judged, made, verdicts

CHAPTER = ["fig6_1", "fig6_2", "mixing_bounds", "iterated_laplace", "iteration_bounds", "noisy_sgd", "public_steps"]
SIZES = {
    "fig6_1": {"kernels": 500},
    "fig6_2": {"kernels": 100},
    "iterated_laplace": {"orders": [1.1, 2, 10, 100]},
    "noisy_sgd": {"repeats": 100, "n": 70},
    "public_steps": {"repeats": 60, "n": 80, "dimensions": [4, 64]},
}


def small(experiment: str) -> pd.DataFrame:
    return made(experiment, **SIZES.get(experiment, {}))


@pytest.mark.parametrize("experiment", CHAPTER)
def test_no_claim_is_refuted_or_untestable_at_the_papers_parameters(experiment):
    found = verdicts(experiment, made(experiment, 20200401, **SIZES.get(experiment, {})))
    failing = {f"{experiment}.{name}": verdict for name, verdict in found.items() if verdict != "reproduced"}
    assert failing == {name: verdict for name, verdict in FAILING.items() if name.startswith(f"{experiment}.")}


WRONG = ["fig6_1.direction", "mixing_bounds.amplifies", "mixing_bounds.increasing", "iteration_bounds.expanding"]
FAILING = dict.fromkeys(WRONG, "wrong") | {"noisy_sgd.convex": "misprint"}


def test_privacy_is_overstated_by_one_implication_only():
    """γ of the level condition for γ of Dobrushin: the one statement of the chapter that promises too little."""
    overstated = {f"{e}.{claim.id}" for e in CHAPTER for claim in judged(e, small(e)) if claim.privacy}
    assert overstated == {"fig6_1.direction"}


def test_a_kernel_does_not_depend_on_how_many_there_are():
    few, many = (list(random_kernels.kernels(n, [2, 5], np.random.default_rng(3))) for n in (7, 40))
    assert all(np.array_equal(a.rows, b.rows) for a, b in zip(few, many, strict=False))


def test_kinds_of_kernels_have_zeros_small_entries_and_nearly_equal_rows():
    kernels = list(random_kernels.kernels(1000, [2, 3, 6], np.random.default_rng(5)))
    assert sum(np.any(kernel.rows == 0) for kernel in kernels) > 100
    assert sum(np.any((kernel.rows > 0) & (kernel.rows < 1e-12)) for kernel in kernels) > 50
    assert sum(mixing.dobrushin(kernel) < 0.01 for kernel in kernels) > 10
    assert sum(mixing.dobrushin(kernel) > 0.99 for kernel in kernels) > 100
    assert sum(mixing.ultra_mixing(kernel) < 0.9 for kernel in kernels) > 100


# -- numbers by another route -----------------------------------------------------------------------------------------


def test_counterexamples_are_kernels_with_these_coefficients():
    """As the library sees them, and for all implications that are not in the chain."""
    table = small("fig6_1")
    kept = table.dropna()
    assert {(p, q) for p, q in zip(table["premise"], table["conclusion"], strict=True)} - IMPLIED == {
        (p, q) for p, q in zip(kept["premise"], kept["conclusion"], strict=True)
    }
    assert len(kept) == 6
    for row in kept.to_dict("records"):
        rows = [[float(Fraction(x)) for x in line.split()] for line in row["counterexample"].split("; ")]
        found = mixing.coefficients(Kernel.of(rows), math.log(RATIO))
        premise, conclusion = Fraction(row["premise_coefficient"]), Fraction(row["conclusion_coefficient"])
        assert found[row["premise"]] == pytest.approx(float(premise), abs=1e-11)
        assert found[row["conclusion"]] == pytest.approx(float(conclusion), abs=1e-11)
        assert premise < conclusion


def test_the_triangle_after_leaky_randomized_response_has_these_levels():
    """From the probabilities of all events of all pairs, with the mechanism and the kernel written out."""
    table = made("mixing_bounds", epsilon=0.7, delta=0.1, noises=[0.5])
    rows = table[table["kernel"] == TRIANGLE].set_index("condition")
    response = np.exp(0.7 * np.eye(3)) / (math.exp(0.7) + 2)
    laws = (0.1 * np.eye(3) + 0.9 * response) @ np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])
    events = np.array(list(product((0.0, 1.0), repeat=3)))
    for row in rows.to_dict("records"):
        ratio = math.exp(row["epsilon_bound"])
        exact = max(float(event @ (p - ratio * q)) for event in events for p in laws for q in laws)
        assert row["delta_exact"] == pytest.approx(exact, abs=1e-11)
        assert row["delta_exact"] <= row["delta_bound"] + 1e-12
    assert rows.loc[DOBRUSHIN, "gamma"] == pytest.approx(0.5, abs=1e-11)
    assert rows.loc[DOEBLIN, "gamma"] == 1.0
    assert rows.loc[LOWER, "epsilon_bound"] == pytest.approx(math.log1p(0.5 * math.expm1(0.7)), rel=1e-11)
    assert set(table["kernel"]) == {UNIFORM, TRIANGLE}


def test_the_density_is_compared_with_a_convolution_that_can_tell(monkeypatch):
    """(6.3) in 30 digits at one point; a density with a sign or a scale that is off (planted) has a large error."""
    with mp.workdps(30):
        by_parts = mp.quad(lambda t: mp.exp(-abs(1 - t) - abs(t) / 2) / 8, [-mp.inf, 0, 1, mp.inf])
        printed = (2 * mp.exp(-mpf(1) / 2) - mp.exp(-1)) / (2 * (4 - 1))  # λ₁ = 1, λ₂ = 2
    assert float(by_parts) == pytest.approx(float(printed), rel=1e-15)
    assert laplace_table.density_error(1.0, 2.0) < 1e-12
    right = laplace_table.log_density
    for wrong in (lambda x, a, b: right(x, a, 1.001 * b), lambda x, a, b: right(x, a, b) + 1e-6 * np.abs(x)):
        monkeypatch.setattr(laplace_table, "log_density", wrong)
        assert laplace_table.density_error(1.0, 2.0) > 1e-7


@pytest.mark.parametrize("scales", [(1.0, 1e-5), (1e-5, 1.0), (1e-5, 1e-5), (1e5, 1e5), (1.0, 1e9), (9.9, 0.11)])
def test_the_convolution_sees_narrow_and_wide_kernels(scales, monkeypatch):
    assert laplace_table.density_error(*scales) < 1e-12
    right = laplace_table.log_density
    monkeypatch.setattr(laplace_table, "log_density", lambda x, a, b: right(x, a, b) + 1e-6)
    assert laplace_table.density_error(*scales) == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("scales", [(1.0, 1.0), (1.0, 2.0), (1.0, 1.0 + 1e-9), (3.0, 1e-3), (1.0, 1.0001)])
def test_the_tail_s_log_ratio_keeps_its_digits(delta, scales):
    """(6.3) in 80 digits, far in the tail."""
    with mp.workdps(80):
        a, b = map(mpf, scales)
        x = mpf(laplace_table.TAIL * (max(scales) + delta))

        def log_p(x):
            if a == b:
                return mp.log(1 + x / a) - x / a
            return mp.log((a * mp.exp(-x / a) - b * mp.exp(-x / b)) / (a - b))

        expected = float(log_p(x) - log_p(x + mpf(delta)))
    assert laplace_table.tail_log_ratio(delta, *scales) == pytest.approx(expected, rel=1e-14, abs=0)


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_levels_at_the_highest_order_lie_between_what_tails_show_and_the_limit(scale):
    """R_α ≥ r(x) + ln Pr(X < −x)/(α − 1) where the log-ratio is r(x) or more; equal scales have both in closed form."""
    table = made("iterated_laplace", first_scale=scale, second_scales=[scale], orders=[2])
    high = table[table["order"] == HIGH].set_index("curve")["epsilon"]
    x = scale * np.geomspace(1e2, 1e8, 4000)
    ratios = 1 / scale - np.log1p(1 / (scale + x))
    tails = np.log1p(x / 2 / scale) - x / scale - math.log(2)
    below = float(np.max(ratios + tails / (HIGH - 1)))
    assert below < high[EXACT] < high[BOUND] < 1 / scale
    assert high[EXACT] == pytest.approx(below, rel=1e-8)
    # Both noises hide a part of Δ, and each divergence is short of its own limit by ln 2/α.
    assert 1 / scale - high[BOUND] == pytest.approx(2 * math.log(2) / HIGH, rel=0.02)


def test_the_highest_order_is_in_every_table_once_and_drawn_where_it_is_asked_for():
    plain, asked = made("iterated_laplace", orders=[2, 20]), made("iterated_laplace", orders=[2, 20, 1e10])
    pd.testing.assert_frame_equal(plain, asked, check_dtype=False)
    longest, cases = [], []
    for table in (plain, asked):
        curves = drawn("iterated_laplace", table).axes[0].get_lines()
        longest.append(max(max(line.get_xdata()) for line in curves))
        cases += [claim.measured for claim in judged("iterated_laplace", table) if claim.id == "bound"]
    assert longest == [20, 1e10]
    assert cases == ["0 violations in 6 cases", "0 violations in 9 cases"]


def test_maps_that_expand_are_gaussians_and_are_not_drawn():
    """At distance L^r Δ with variance σ² Σ L^{2j}, in many digits."""
    table = made("iteration_bounds", order=3, sensitivity=0.5, sigma=2, contractions=[0.5, 1], lengths=[1, 7])
    expanding = table[table["contraction"] > 1]
    assert list(expanding["steps"]) == [1, 200]
    for row in expanding.to_dict("records"):
        with mp.workdps(50):
            lipschitz, r = mpf(row["contraction"]), row["steps"]
            variance = 4 * mp.fsum(lipschitz ** (2 * j) for j in range(r))
            exact = 3 * (lipschitz**r * mpf("0.5")) ** 2 / (2 * variance)
        assert row["epsilon"] == pytest.approx(float(exact), rel=1e-11)
    assert len(drawn("iteration_bounds", table).axes) == 2


def test_levels_of_gaussian_iterates_in_many_digits():
    """ε = (2C²/σ²)/Σ_{j ≤ r} L^{−2j}, with L = 1 − ηρ, and L = 1 in the convex rows."""
    constants = {"lipschitz": 1.3, "smoothness": 2, "convexity": 0.25, "rate": 0.5, "sigma": 0.7}
    for row in made("noisy_sgd", n=40, repeats=2, **constants).to_dict("records"):
        with mp.workdps(40):
            slope = mpf(1) if row["curve"] == CONVEX else 1 - mpf("0.5") * mpf("0.25")
            own = 2 * (mpf(1.3) / mpf(0.7)) ** 2
            exact = own / mp.fsum(slope ** (-2 * j) for j in range(row["n"] - row["index"] + 1))
        assert row["exact"] == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("rate", [0.2, 1, 1.8])
def test_contractions_of_gradient_steps(rate):
    """The operator norm is max(|1 − ηρ|, |1 − ηβ|); random pairs come close, and are drawn under the table's seed."""
    found = [made("noisy_sgd", seed, n=2, repeats=2, rate=rate) for seed in (3, 3, 4)]
    norms, ratios = ([table[name].iloc[0] for table in found] for name in ("operator_norm", "largest_ratio"))
    sharp = max(abs(1 - 0.1 * rate), abs(1 - rate))
    assert norms == pytest.approx([sharp] * 3, rel=1e-15)
    assert ratios[0] == ratios[1] != ratios[2]
    assert all(sharp - 0.05 < ratio <= sharp + 1e-12 for ratio in ratios)


# -- planted errors ---------------------------------------------------------------------------------------------------


def where(column, chosen, factor):
    """A change of one column, in some of the rows."""
    return lambda t: t.assign(**{column: t[column].where(~chosen(t), factor * t[column])})


def of(curve, factor, order=None):
    """A change of the levels of a curve."""
    return where("epsilon", lambda t: (t["curve"] == curve) & (True if order is None else t["order"] == order), factor)


PLANTED = [
    ("fig6_1", lambda t: t.assign(violations=t["violations"] + 1), "doeblin-dobrushin"),
    ("fig6_2", lambda t: t.assign(ldp_delta=t["ldp_delta"] * 1.001), "level"),
    ("fig6_2", lambda t: t.assign(ldp_epsilon=t["ldp_epsilon"] * 0.999), "ultra"),
    ("fig6_2", lambda t: t.assign(ldp_epsilon=t["ldp_epsilon"] * 0.3), "blanket"),
    ("mixing_bounds", lambda t: t.assign(delta_bound=t["delta_bound"] * 0.999), "dobrushin"),
    ("mixing_bounds", lambda t: t.assign(delta_bound=t["delta_bound"] * 0.1), "doeblin"),
    ("mixing_bounds", lambda t: t.assign(epsilon_bound=t["epsilon_bound"] * 1.001), "epsilon"),
    ("iterated_laplace", of("bound", 0.8), "bound"),
    ("iteration_bounds", of("optimal", 0.999), "attained"),
    ("noisy_sgd", of("optimal", 1.001), "attained"),
    ("noisy_sgd", lambda t: t.assign(excess_loss=t["excess_loss"] * (1 - t["index"] / t["index"].max())), "loss"),
    ("public_steps", lambda t: t.assign(epsilon=t["epsilon"] * 1.5), "reached"),
    ("public_steps", lambda t: t.assign(public_steps=t["public_steps"] ** 1.3), "logarithmic"),
    ("public_steps", lambda t: t.assign(excess_loss=t["excess_loss"] * t["dimension"] ** 0.3), "constant"),
    ("fig6_1", lambda t: t.assign(conclusion_coefficient=t["premise_coefficient"]), "strict"),
    ("iterated_laplace", lambda t: t.assign(density_error=t["density_error"] + 1e-6), "density"),
    ("iterated_laplace", lambda t: t.assign(tail_log_ratio=1.001 * t["tail_log_ratio"]), "lemma"),
    ("iterated_laplace", of(BOUND, 1.0001, HIGH), "bound-limit"),
    ("iterated_laplace", of(EXACT, 0.9999, HIGH), "exact-limit"),
    ("noisy_sgd", where("exact", lambda t: (t["curve"] == OPTIMAL) & (t["index"] == 30), 1.001), "attained"),
    ("noisy_sgd", of(PRINTED, 0.5), "printed"),
    ("noisy_sgd", where("epsilon", lambda t: (t["curve"] == PRINTED) & (t["index"] == 30), 1.1), "improvement"),
    ("mixing_bounds", where("epsilon_bound", lambda t: t["condition"] == DOEBLIN, 2.0), "forms"),
    ("noisy_sgd", lambda t: t.assign(operator_norm=0.901), "sharp"),
    ("noisy_sgd", lambda t: t.assign(operator_norm=0.905), "contraction"),
    ("noisy_sgd", lambda t: t.assign(largest_ratio=0.9001), "measured"),
]
PLANTED = [(*case, "refuted") for case in PLANTED]
EXPANDING = where("epsilon", lambda t: (t["contraction"] > 1) & (t["steps"] > 1), 1.01)
CORRECTED = [
    ("fig6_1", lambda t: t.assign(conclusion_coefficient=t["premise_coefficient"]), "direction", "reproduced"),
    ("mixing_bounds", where("delta_exact", lambda t: t["kernel"] == TRIANGLE, 10), "amplifies", "refuted"),
    ("iteration_bounds", EXPANDING, "expanding", "refuted"),
    ("mixing_bounds", where("delta_bound", lambda t: t["condition"] == LEVEL_DOBRUSHIN, 2.0), "increasing", "refuted"),
    ("noisy_sgd", where("exact", lambda t: (t["curve"] == CONVEX) & (t["index"] == 30), 1.001), "convex", "refuted"),
]


@pytest.mark.parametrize(("experiment", "change", "claim", "verdict"), [*PLANTED, *CORRECTED])
def test_verdicts_follow_the_table(experiment, change, claim, verdict):
    table = small(experiment)
    wrong = change(table)
    wrong.attrs = table.attrs
    assert verdicts(experiment, table)[claim] in {FAILING.get(f"{experiment}.{claim}", "reproduced")} - {verdict}
    assert verdicts(experiment, wrong)[claim] == verdict


def test_losses_are_the_same_whatever_the_number_of_public_steps():
    """The excess after k public steps does not depend on how many follow."""
    table = made("public_steps", n=10, repeats=20, dimensions=[4], epsilon=1)
    more = made("public_steps", n=10, repeats=20, dimensions=[4, 8], epsilon=0.1)
    shared = table.merge(more, on=["dimension", "public_steps"])
    assert len(shared) == len(table)
    assert np.allclose(shared["excess_loss_x"], shared["excess_loss_y"], rtol=1e-12)
