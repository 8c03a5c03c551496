"""Tables and hidden Markov models released by programs."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from dpsampling.errors import InputError
from dpsampling.event_logs import schema as schemas
from dpsampling.release import PrivateHMM, PrivateTable, hmm_draws, load

PUBLIC = {"by": "the register", "on": "2024-05-31"}
FALLS = {
    "title": "Falls",
    "public": PUBLIC,
    "features": {
        "ward": {"column": "Ward", "outcomes": ["north", "south"]},
        "harm": {"column": "Harm", "outcomes": ["none", "some"]},
    },
}
EVENTS = {
    "title": "Events",
    "public": PUBLIC,
    "time": {"column": "when", "format": "%Y-%m-%d", "from": "2024-01", "to": "2024-12"},
    "region": {"column": "ward", "keep": ["north", "south"]},
    "features": {"kind": {"column": "kind", "outcomes": ["fall", "fever"]}},
}


def falls() -> pd.DataFrame:
    return pd.DataFrame({"Ward": ["north"] * 60 + ["south"] * 40, "Harm": ["none"] * 90 + ["some"] * 10})


def events() -> pd.DataFrame:
    """Falls in every month's first half of the year, fever in the other."""
    told = [
        (f"2024-{month:02d}-{day:02d}", ward, "fall" if month <= 6 else "fever")
        for month in range(1, 13) for ward in ("north", "south") for day in range(1, 28)
    ]  # fmt: skip
    return pd.DataFrame(told, columns=["when", "ward", "kind"])


def test_a_table_has_a_line_for_each_combination_and_its_interval(tmp_path):
    """Noise of ε = 80 is 0 but for a probability of 9 · 2e^{−40}."""
    made = PrivateTable(80, ["Ward", "Harm"], unit="row", quantum=0.02).fit(falls(), FALLS)
    assert made.table_.loc[("north", "none"), "count"] == 60
    assert made.table_.loc[("south", "some"), "estimate"] == 10
    assert made.table_.loc[("other", "other"), "count"] == 0
    assert (made.table_["low"] <= made.table_["estimate"]).all()
    assert (made.table_["estimate"] <= made.table_["high"]).all()
    assert [end.shape for end in made.intervals_] == [(3, 3), (3, 3)]
    back = load(made.save(tmp_path / "out"))
    assert isinstance(back, PrivateTable)
    assert back.table_.equals(made.table_)
    assert back.columns == ["Ward", "Harm"]
    assert (tmp_path / "out/CARD.md").read_text(encoding="utf-8") == back.card()


def test_a_description_may_be_a_schema_and_says_the_same_unit(tmp_path):
    parsed = schemas.parse({**FALLS, "unit": "row"}, "falls", events=False)
    assert PrivateTable(1, ["Harm"], unit="row", quantum=0.02).fit(falls(), parsed).table_.shape == (3, 4)
    for schema, message in (
        ({**FALLS, "unit": {"name": "patient", "column": "Id", "most": 2}}, "who is protected is said in one way"),
        ({**FALLS, "public": False}, "is a draft"),
        (3, "schema is a int; give a YAML file's path"),
        (tmp_path / "none.yaml", "none.yaml"),
    ):
        with pytest.raises(InputError, match=message):
            PrivateTable(1, ["Harm"], unit="row", quantum=0.02).fit(falls(), schema)
    with pytest.raises(InputError, match="columns is 'Harm'; give a list"):
        PrivateTable(1, "Harm", unit="row").fit(falls(), FALLS)


def test_a_hidden_markov_model_its_draws_and_another_of_the_same_counts(tmp_path, monkeypatch):
    """27 falls or fevers in each of 24 cells, noise of scale 1/2: the planted halves of the year are found."""
    made = PrivateHMM(2, 4, unit="row", quantum=0.02).fit(events(), EVENTS)
    assert made.transition_.shape == (2, 2)
    assert np.allclose(made.transition_.sum(axis=1), 1)
    assert np.allclose(made.emissions_["kind"].sum(axis=1), 1)
    first = made.states_.loc["north", "2024-01"]
    assert (made.states_.loc[:, "2024-01":"2024-06"] == first).all(axis=None)
    assert (made.states_.loc[:, "2024-07":"2024-12"] != first).all(axis=None)
    assert made.emissions_.loc[first, ("kind", "fall")] > 0.8
    low, high = made.intervals_["transition"]
    assert (low < high).all()

    pytest.importorskip("arviz", exc_type=ImportError)
    data = made.to_inference_data()
    means = data.posterior["kind_emission"].mean(("chain", "draw")).to_numpy()
    assert np.allclose(means, made.emissions_["kind"], atol=2e-6)
    ends = data.posterior["transition"].quantile([0.05, 0.95], ("chain", "draw")).to_numpy()
    assert np.allclose(ends, [low, high], atol=2e-6)
    assert data.observed_data["kind_noisy_count"].to_numpy().ravel().tolist() == (
        made.release_.numbers.integers.ravel().tolist()
    )

    folder = made.save(tmp_path / "out")
    other = made.another(states=1)
    assert (other.n_states_, other.release_.budget.charged) == (1, 0.0)
    assert other.release_.numbers.integers.tolist() == made.release_.numbers.integers.tolist()
    assert other.release_.derived_from == hashlib.sha256((folder / "release.json").read_bytes()).hexdigest()

    monkeypatch.setattr(hmm_draws, "public_order", lambda drawn, released: None)
    with pytest.raises(InputError, match="chains take another course here than where the release was made"):
        load(folder).to_inference_data()


def test_states_are_found_by_their_means_or_not_at_all():
    drawn = np.array([[0.2, 0.8], [0.7, 0.3]])
    assert hmm_draws.public_order(drawn, drawn[::-1]) == [1, 0]
    assert hmm_draws.public_order(drawn, drawn + 1e-7) == [0, 1]
    assert hmm_draws.public_order(drawn, np.array([[0.2, 0.8], [0.2, 0.8]])) is None
    assert hmm_draws.public_order(drawn, drawn + 1e-4) is None


@pytest.mark.parametrize("states", [0, 101, "worst", 1.5, None])
def test_states_are_a_number_or_the_best(states):
    with pytest.raises(InputError, match="states"):
        PrivateHMM(states, 1, unit="row").fit(events(), EVENTS)
