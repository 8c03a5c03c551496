"""What the tables of noisy gradients and of tuning say, and what a planted fault in each makes of its claims."""

import pytest

import tables
from reproduction import project, releases
from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE
from reproduction.experiments.learners import gradient, tuning
from reproduction.experiments.learners.gradient.claims import OF_FINE_GRIDS
from reproduction.stages import claims

GRADIENT, TUNING, EACH = "rev_sgd", "rev_tuning", gradient.EACH_GRADIENT


def smallest(name, **changes):
    return tables.made(name, **{**project.experiment(name).smallest, **changes})


@pytest.fixture(scope="module")
def accounts():
    table = smallest(GRADIENT, interval=1e-3)
    # Ten runs as good as alike, so that claims about errors are judged.
    trained = table["view"] == gradient.TRAINED
    table.loc[trained, "repeats"] = 10
    table.loc[trained, "standard_error"] = 1e-4
    for method, error in ((gradient.SUM, 0.2), (gradient.EACH_GRADIENT, 0.3), (gradient.PLAIN, 0.199)):
        table.loc[trained & (table["method"] == method), "error"] = error
    return table


@pytest.fixture(scope="module")
def prices():
    table = smallest(TUNING)
    table.attrs["parameters"]["repeats"] = 50
    trained = table["view"] == tuning.TRAINED
    table.loc[trained, "standard_error"] = 1e-3
    for name, error in ((tuning.TUNED, 0.2), (tuning.FREE, 0.18), (tuning.UNTUNED, 0.3), (tuning.BEST, 0.15)):
        table.loc[trained & (table["mechanism"] == name), "error"] = error
    return table


def test_noisy_gradients_are_as_their_accountants_say(accounts):
    found = tables.verdicts(GRADIENT, accounts)
    assert set(found.values()) == {REPRODUCED}
    assert len(found) == 13


ACCOUNT_FAULTS = {
    "s5.9": (gradient.EACH, None, lambda e: e + 100.0),
    "s5.9-noise": (gradient.EACH, None, lambda e: e * 10.0),
    "above": (gradient.LOSSES, None, lambda e: e * 0.7),
    "near": (gradient.LOSSES, None, lambda e: e * 1.4),
    "one-step": (gradient.DENSITIES, None, lambda e: e - 0.02),
    "one-step-above": (gradient.DENSITIES, None, lambda e: e + 0.02),
    "ordered": (gradient.RENYI, None, lambda e: e * 0.5),
    "replaced": (gradient.LOSSES, gradient.REPLACED, lambda e: e * 0.3),
    "limit": (gradient.LIMIT, None, lambda e: e + 5.0),
    "moments": (gradient.MOMENTS, None, lambda e: e * 1.1),
}


@pytest.mark.parametrize("claim", ACCOUNT_FAULTS)
def test_a_wrong_account_refutes_its_claim(accounts, claim):
    accountant, relation, fault = ACCOUNT_FAULTS[claim]
    at = tables.where(accounts, view=gradient.ACCOUNTED, accountant=accountant)
    at &= True if relation is None else accounts["relation"] == relation
    assert tables.verdicts(GRADIENT, tables.changed(accounts, at, epsilon=fault))[claim] == REFUTED


@pytest.mark.parametrize(
    ("claim", "method", "error"),
    [("words-err", EACH, 0.2), ("words-err-always", EACH, 0.1), ("free", gradient.PLAIN, 0.1)],
)
def test_wrong_errors_refute_their_claims(accounts, claim, method, error):
    wrong = tables.changed(accounts, accounts["method"] == method, error=error)
    assert tables.verdicts(GRADIENT, wrong)[claim] == REFUTED


def test_few_runs_and_coarse_grids_are_not_judged(accounts):
    few = tables.changed(accounts, accounts["view"] == gradient.TRAINED, repeats=2)
    assert {"words-err", "words-err-always", "free"} <= tables.with_verdict(GRADIENT, few, UNTESTABLE)
    coarse = accounts.copy()
    coarse.attrs["parameters"] = {**accounts.attrs["parameters"], "interval": 5e-3}
    assert tables.with_verdict(GRADIENT, coarse, UNTESTABLE) == OF_FINE_GRIDS


def test_tuning_costs_what_it_should(prices):
    found = tables.verdicts(TUNING, prices)
    assert found == dict.fromkeys(("three", "three-reached", "renyi", "free-spends", "worth", "known"), REPRODUCED)


@pytest.mark.parametrize(
    ("claim", "view", "mechanism", "column", "factor"),
    [
        ("three", tuning.SEARCHED, tuning.PURE, "epsilon_total", 1.2),
        ("three-reached", tuning.SEARCHED, tuning.PURE, "epsilon_total", 0.9),
        ("renyi", tuning.ENUMERATED, tuning.COIN, "epsilon_total", 1e6),
        ("free-spends", tuning.TRAINED, tuning.FREE, "epsilon_total", 0.1),
        ("worth", tuning.TRAINED, tuning.TUNED, "error", 4.0),
        ("known", tuning.TRAINED, tuning.TUNED, "error", 0.5),
    ],
)
def test_a_wrong_price_or_error_refutes_its_claim(prices, claim, view, mechanism, column, factor):
    rows = tables.where(prices, view=view, mechanism=mechanism)
    assert tables.verdicts(TUNING, tables.changed(prices, rows, **{column: lambda x: factor * x}))[claim] == REFUTED


def test_coarse_tables_of_tuning_are_not_judged():
    coarse = smallest(TUNING, gammas=[0.5])
    assert {"three-reached", "worth", "known"} <= tables.with_verdict(TUNING, coarse, UNTESTABLE)


@pytest.mark.parametrize("name", [GRADIENT, TUNING])
def test_every_private_model_is_in_the_ledger(name, accounts, prices):
    """At the δ that the ledger states, whatever δ the experiment has."""
    table = accounts if name == GRADIENT else prices
    ledger = releases.frame(name, claims.released(project.experiment(name).code, table, table.attrs["parameters"]))
    assert len(ledger) == 3
    assert ledger["epsilon_at_delta"].between(0.0, float("inf"), inclusive="neither").all()
