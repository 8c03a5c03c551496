"""The audit has teeth: every mechanism is in it, every violation of its table is found when it is planted.

The table of one level is made once and questioned by all tests; where it says that a lie is caught, a case that
lies so is called broken, and where it says that none could be, why.
"""

import dataclasses
import math
from functools import partial

import numpy as np
import pytest

from dpsampling.audit import every_mechanism as audit
from dpsampling.audit import measure as measures
from dpsampling.audit.power import REVERSED
from dpsampling.audit.registry import ENTRIES
from dpsampling.audit.sequential import RISK, Witness
from dpsampling.errors import InputError
from dpsampling.event_logs.mechanisms import NonPrivate
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.known_laws import clipped_laplace, laplace, normal, response
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.privacy.audit_case import FACTORS, AuditCase, all_pairs, both_ways
from dpsampling.privacy.guarantee import Pure, Renyi
from dpsampling.privacy.laws import Finite, Independent, OnLine

SETTING = {"orders": [2.0], "epsilons": [1.0], "delta": 1e-5, "draws": 5_000}
SEED = 7
WITHOUT_PROMISE = {NonPrivate}
SIGMA = GaussianStatistic.calibrated_sigmas(BetaBernoulli(), 2.0, 0.1)[0]


@pytest.fixture(scope="module")
def both():
    return audit.tables(SEED, **SETTING)


@pytest.fixture(scope="module")
def table(both):
    return both[0]


@pytest.fixture(scope="module")
def planted_violations(both):
    return both[1]


POINTS = list(audit.points(SETTING["orders"], SETTING["epsilons"]))
NAMES = [f"{point.entry.name}, {point.case.what}" for point in POINTS]


# -- nothing is left out -----------------------------------------------------------------------------------------------


def unaudited(entries):
    """Classes with a guarantee whose entries have no instance, or an instance without a lie."""
    bare = set()
    for entry in entries:
        cases = audit.audit_cases(entry, 2.0, 1.0)
        if not cases or not all(case.lies for case in cases):
            bare.add(entry.name)
    return bare


def test_every_entry_has_instances_and_every_instance_has_liars():
    assert unaudited(entry for entry in ENTRIES if entry.mechanism not in WITHOUT_PROMISE) == set()


def test_an_entry_without_an_instance_or_without_a_liar_would_be_seen():
    (counts,) = (entry for entry in ENTRIES if entry.name == "laplace-counts")
    bare = dataclasses.replace(counts, audit_cases=None)

    def without_lies(order, epsilon):
        return [dataclasses.replace(case, lies={}) for case in counts.audit_cases(order, epsilon)]

    assert unaudited([counts]) == set()
    assert unaudited([bare]) == unaudited([dataclasses.replace(counts, audit_cases=without_lies)]) == {"laplace-counts"}


def test_every_entry_has_a_row(table):
    assert set(table["mechanism"]) == {entry.name for entry in ENTRIES}
    assert set(table.loc[table["verdict"] == audit.NOTHING, "mechanism"]) == {"non-private"}
    assert set(table["verdict"]) == {audit.NOTHING, audit.HOLDS}


# -- what the rows say -------------------------------------------------------------------------------------------------


def test_tight_promises_catch_five_percent_and_others_say_why_not(table):
    promised = table[table["verdict"] == audit.HOLDS]
    tight = promised["tightness"] >= audit.TIGHT
    assert tight.mean() > 0.75
    assert (promised.loc[tight, "by_price"] == 1.05).all()
    assert (promised.loc[~tight, "why_not_tight"] != "").all()
    assert (promised.loc[promised["by_price"] == math.inf, "why_unseen"] != "").all()


def test_no_mechanism_hides_a_lie_of_two_and_the_price_lies_between_the_attack_and_the_promise(table):
    promised = table[table["verdict"] == audit.HOLDS]
    assert (promised.groupby("mechanism")["smallest_lie_caught"].min() <= 2.0).all()
    assert (promised["priced"] <= promised["promised"] * (1 + measures.ROUNDING)).all()
    assert (promised["epsilon_attacked"] <= promised["epsilon_exact"] * (1 + 1e-6)).all()
    assert (promised["epsilon_exact"] <= promised["epsilon_converted"] * (1 + 1e-6)).all()


def test_named_pairs_are_the_worst_that_a_search_finds(table):
    assert set(table["named_pair"]) == {"", "is the worst"}
    assert (table["named_pair"] == "is the worst").sum() > 15


@pytest.mark.parametrize(
    ("mechanism", "instance", "power"),
    [
        ("laplace-counts", "three noisy counts, clipped at 0, n = 1", 1),
        ("gaussian-statistic", "the sum, n = 1", 2),
        ("composition", "two Gaussians", 2),
        ("event-log counts", "clipped counts of two cells", 1),
        ("noisy-sgd", "optimal form, a record with 2 steps after it", 2),
    ],
)
def test_a_lie_costs_what_mathematics_says(planted_violations, mechanism, instance, power):
    """Noise that is f times too small multiplies ε of Laplace by f and R_λ of Gaussian noise by f²."""
    chosen = "mechanism == @mechanism and instance == @instance and lie in ('noise', 'sensitivity')"
    rows = planted_violations.query(chosen)
    assert sorted(rows["factor"]) == sorted(FACTORS)
    np.testing.assert_allclose(rows["priced"] / rows["promised"], rows["factor"] ** power, rtol=1e-6)


# -- planted violations -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("point", POINTS, ids=NAMES)
def test_every_liar_of_the_table_is_found_as_it_says(point, planted_violations):
    """Planted in the laws a lie breaks the row if its `fault` says so; planted in the draws, if its `draws` do."""
    case = point.case
    rows = planted_violations.query("mechanism == @point.entry.name and instance == @case.what")
    assert set(rows["lie"]) - {REVERSED} == {*case.lies, *case.slips}
    measure = measures.for_guarantee(case.guarantee, point.order)
    for _, row in rows.iterrows():
        if row["lie"] == REVERSED:
            planted = dataclasses.replace(case, named=case.named[::-1])
        elif row["lie"] in case.slips:
            planted = dataclasses.replace(case, laws=case.slips[row["lie"]]())
        else:
            planted = dataclasses.replace(case, laws=case.lies[row["lie"]](row["factor"]), named=None)
        found = measures.search(measure, planted, planted.laws)
        verdict = audit.verdict(measure, found, planted, math.inf, 0.0, math.inf)
        assert verdict == (f"broken: {row['fault']}" if row["fault"] else "holds"), row["lie"]
        assert row["caught"] == ("yes" if row["fault"] or row["draws"] < math.inf else "no")


def test_draws_tell_a_lie_of_two_in_about_as_many_as_any_test_needs(planted_violations):
    """−ln RISK over the mean of what a draw tells is Wald's bound; half of the weight and the mixture cost little."""
    double = planted_violations.query("factor == 2.0 and draws_at_least < 5_000")
    assert len(double) > 40
    assert (double["draws"] <= 3.0 * double["draws_at_least"] + 60).all()
    near = planted_violations.query("factor == 2.0 and draws_at_least < 200")
    assert (near["draws"] <= 500).all()
    assert near["mechanism"].nunique() >= 12


def weak(name, mechanism_laws, guarantee):
    """A case of one record, by hand."""
    return AuditCase(name, guarantee, mechanism_laws, all_pairs(mechanism_laws), {})


def hot(s):
    """A sample of the posterior at a tenth of its temperature."""
    subject = OnePosteriorSample(BetaBernoulli(), (1, 2), 1, 0.05, 5.9)
    return OnLine(lambda y: subject.log_density(y, s), lambda rng, size: rng.random(size), -math.log(19), math.log(19))


UNSEEN = {  # a tenth of the noise, of the first at (2, .1) a quarter
    "clipped counts": (lambda i: Independent((clipped_laplace(i, 5.0), clipped_laplace(1 - i, 5.0))), Pure(0.1)),
    "counts at (5, 1)": (lambda i: Independent((laplace(i, 0.2), laplace(1 - i, 0.2))), Pure(1.0)),
    "ops": (hot, Pure(0.1)),
    "a clipped Gaussian": (lambda s: normal(s, SIGMA / 10), Renyi(lambda order: 0.05 * order)),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_liars_that_once_went_unseen(name):
    law, guarantee = UNSEEN[name]
    planted = weak(name, {f"s = {s}": law(s) for s in (0, 1)}, guarantee)
    measure = measures.for_guarantee(guarantee, 2.0)
    found = measures.search(measure, planted, planted.laws)
    assert measures.fault(measure, found, planted.laws) == "price above the promise"


def test_a_promise_that_rounding_hides_is_not_said_to_hold():
    measure = measures.Measure("Rényi", 1.0, lambda p, q: math.nan)
    case = weak("nan", {"x": normal(0, 1), "y": normal(1, 1)}, Renyi(lambda order: 1.0))
    found = measures.search(measure, case, case.laws)
    assert audit.verdict(measure, found, case, 1.0, 0.5, math.inf) == "attacked only"
    assert audit.verdict(measure, found, case, 1.0, 1.5, math.inf) == "broken: attacked"


def test_a_named_pair_that_is_not_the_worst_is_a_fault():
    laws = {f"s = {s}": normal(s * s, 1.0) for s in range(3)}
    pairs = both_ways(("s = 0", "s = 1"), ("s = 1", "s = 2"))
    case = AuditCase("squares", Renyi(lambda order: 4.5 * order), laws, pairs, {}, named=("s = 0", "s = 1"))
    measure = measures.for_guarantee(case.guarantee, 3.0)
    found = measures.search(measure, case, laws)
    assert found.pair == ("s = 1", "s = 2")
    assert measures.fault(measure, found, laws) == "a worse pair than the named one"


# -- draws that are not from the law -----------------------------------------------------------------------------------


def drawing(worlds, draw):
    """The same laws with another sampler."""
    return {world: dataclasses.replace(law, draw=partial(draw, law)) for world, law in worlds.items()}


def test_a_sampler_that_no_known_lie_describes_is_found_by_its_bins():
    """A sampler that forgets its noise, one that answers a wrong question, and one that is right."""
    honest = {"x": laplace(0.0, 1.0), "y": laplace(1.0, 1.0)}
    witness = Witness(honest, [], ("x", "y"))
    rng = np.random.default_rng(3)
    silent = drawing(honest, lambda law, rng, size: np.full(size, 0.3))
    shifted = drawing(honest, lambda law, rng, size: rng.laplace(0.5, 1.0, size))
    assert witness.detects(silent, ("x", "y"), rng) < 200
    assert witness.detects(shifted, ("x", "y"), rng) < 2_000
    assert witness.detects(honest, ("x", "y"), rng) == math.inf


def test_an_impossible_draw_tells_everything():
    witness = Witness({"x": response(0, 1.0), "y": Finite(np.array([0.0, -np.inf]))}, [], ("x", "y"))
    liar = {"x": response(0, 1.0), "y": response(0, 0.1)}
    assert witness.detects(liar, ("x", "y"), np.random.default_rng(1)) < 30
    assert RISK == 1e-6


@pytest.mark.parametrize("name", ["randomized-response", "cluster", "exponential", "gibbs", "conversion"])
def test_a_sampler_of_few_outcomes_that_tells_its_world_backwards_is_found(name):
    """It says the opposite of what it should, or the same in both worlds."""
    tried = 0
    contrary = lambda law, rng, size: np.full(size, float(np.argmin(law.log_mass)))  # noqa: E731
    constant = lambda law, rng, size: np.zeros(size)  # noqa: E731
    for point in POINTS:
        case, worlds = point.case, point.case.laws
        if point.entry.name != name or not all(isinstance(law, Finite) for law in worlds.values()):
            continue
        if len(next(iter(worlds.values())).log_mass) > 2:
            continue
        for planted in (drawing(worlds, draw) for draw in (contrary, constant)):
            lying = point._replace(case=dataclasses.replace(case, laws=planted))
            row = dict(zip(audit.COLUMNS, audit.audited(SEED, lying, 1e-5, 2_000)[0], strict=True))
            assert row["verdict"].startswith("broken"), case.what
            tried += 1
    assert tried >= 2


@pytest.mark.parametrize(("order", "epsilon"), [(50.0, 0.01), (20.0, 0.001), (3.0, 8.0), (1.1, 2.0), (100.0, 0.3)])
def test_prices_of_posteriors_hold_at_other_levels(order, epsilon):
    """Strong priors, whose normalizers lose digits, and levels next to a pole."""
    for entry in ENTRIES:
        if entry.name not in ("diffused", "concentrated", "statistical-query"):
            continue
        for case in entry.audit_cases(order, epsilon):
            measure = measures.for_guarantee(case.guarantee, order)
            found = measures.search(measure, case, case.laws)
            assert measures.fault(measure, found, case.laws) == "", case.what
            assert found.price >= 0.95 * measure.promised, case.what


def test_a_hidden_pair_does_not_hide_a_broken_one():
    case = weak("hidden", {"x": normal(0, 1), "y": normal(1, 1), "z": normal(9, 1)}, Renyi(lambda order: 1.0))
    prices = {1: math.nan, 9: 81.0, 8: 64.0}
    means = {id(law): mean for law, mean in zip(case.laws.values(), (0, 1, 9), strict=True)}
    measure = measures.Measure("Rényi", 1.0, lambda p, q: prices[abs(means[id(p)] - means[id(q)])])
    found = measures.search(measure, case, case.laws)
    assert measures.fault(measure, found, case.laws) == "price above the promise"


def test_mechanisms_are_chosen_by_their_names():
    names = [entry.name for entry in audit.chosen(["ops", "diffused"])]
    assert names == ["diffused", "ops"]  # in the registry's order
    assert audit.chosen("all") == ENTRIES
    with pytest.raises(InputError, match=r"audit.mechanisms names 'difused', which is no mechanism.*diffused"):
        audit.chosen(["difused"])
