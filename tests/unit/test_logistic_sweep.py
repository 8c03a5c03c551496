"""Scores of private classifiers against integrals on a line; what sweeps share; and what is no sweep."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpsampling.errors import InputError
from dpsampling.learners.logistic import names, sweep
from dpsampling.learners.logistic.records import Records
from reproduction.inputs import sweeps

TRAIN = Records(np.array([[1.0], [0.7], [-0.4], [-1.0], [0.2]]), [1, 1, 0, 1, 0])
TEST = Records(np.array([[1.0], [-0.5], [0.3], [-0.9]]), [1, 0, 0, 0])
PARAMS = {"kl_orders": [1.0, 10.0], "epsilons": [0.5, 2.0], "repeats": 4000, "regularity": 0.05, "datasets": ["line"]}
STANDARD_ERRORS = 5.0  # 24 comparisons fail by chance with probability 1.4e-5


def table(params=PARAMS, seed=5):
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    return pd.DataFrame(sweep.scores("line", TRAIN, TEST, params, rng), columns=list(sweeps.COLUMNS))


def expected(precision, weight, end):
    """E[error] and E[nll] by a fine sum over w."""
    w = np.linspace(-end, end, 200_001)
    log = -precision * w**2 / 2 - weight * np.logaddexp(0.0, -np.outer(TRAIN.signed[:, 0], w)).sum(axis=0)
    mass = np.exp(log - log.max())
    mass /= mass.sum()
    margins = np.outer(TEST.signed[:, 0], w)
    return float(np.mean(margins <= 0, axis=0) @ mass), float(np.logaddexp(0.0, -margins).mean(axis=0) @ mass)


def worst(rows, factor=1.0):
    """The largest deviation in standard errors, had every record counted `factor` times as much."""
    found = 0.0
    for row in rows.itertuples():
        reach = 20.0 if row.mechanism == names.OPS else math.inf  # c/β
        end = min(reach, 12.0 / math.sqrt(row.precision) + 5.0 / row.precision)
        error, nll = expected(row.precision, factor * row.weight, end)
        for mean, sd, exact in ((row.error, row.error_sd, error), (row.nll, row.nll_sd, nll)):
            found = max(found, abs(mean - exact) / (sd / math.sqrt(PARAMS["repeats"])))
    return found


def test_scores_are_the_integrals_and_those_of_other_weights_are_not():
    rows = table().drop_duplicates(["precision", "weight"])
    assert len(rows) >= 9
    assert worst(rows) < STANDARD_ERRORS
    assert worst(rows, 1.3) > STANDARD_ERRORS


def test_points_of_one_law_are_of_the_same_draws():
    rows = table()
    assert len(rows) == 2 * 2 * len(names.MECHANISMS)
    assert not rows.duplicated(["order", "mechanism", "log_epsilon"]).any()
    scores = ["error", "nll", "acceptance"]
    assert rows[rows["mechanism"] == names.DIRECT][scores].drop_duplicates().shape[0] == 1
    assert rows[rows["mechanism"] == names.OPS][scores].drop_duplicates().shape[0] == 2


def test_a_point_does_not_depend_on_its_neighbours():
    whole, alone = table(), table({**PARAMS, "kl_orders": [10.0], "epsilons": [2.0]})
    both = whole.merge(alone, on=["mechanism", "order", "log_epsilon"])
    assert len(both) == len(names.MECHANISMS)
    for score in ("error", "acceptance"):
        assert (both[f"{score}_x"] == both[f"{score}_y"]).all()


@pytest.fixture
def swept(tmp_path):
    rows = table({**PARAMS, "repeats": 3})
    path = tmp_path / "sweep.csv"
    rows.to_csv(path, index=False)
    return rows, path


@pytest.fixture(autouse=True)
def _described(monkeypatch):
    monkeypatch.setattr(sweeps.recipe, "load", lambda name: SimpleNamespace(title=name))


def supplied(path, **changes):
    return sweeps.supply({**PARAMS, **changes}, {"sweep": [path], "design": []}, seed=1, stream="s", raw={}).inputs


def test_a_sweep_is_read_back(swept):
    rows, path = swept
    pd.testing.assert_frame_equal(supplied(path)["line"].reset_index(drop=True), rows, check_dtype=False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: rows.drop(columns="nll"), "no table of scores"),
        (lambda rows: pd.concat([rows, rows]), "scores a setting twice"),
        (lambda rows: rows[rows["order"] == 1.0], "other orders or ε"),
        (lambda rows: rows.assign(dataset="other"), "no --sweep file is of the data set line"),
        (lambda rows: rows.assign(error="x"), "words in the column error"),
    ],
)
def test_what_is_no_sweep_is_refused(swept, change, words):
    rows, path = swept
    change(rows).to_csv(path, index=False)
    with pytest.raises(InputError, match=words):
        supplied(path)
