"""Features: spellings folded, the rest to `other` and told, counts to none or some; each entry by itself."""

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.event_logs import features, reader, schema

DOCUMENT = {
    "title": "Small",
    "public": {"by": "the ward's office", "on": "2021-03-04"},
    "unit": "row",
    "time": {"column": "when", "format": "%Y-%m", "from": "2020-01", "to": "2020-03"},
    "region": {"column": "where", "keep": ["North", "South"]},
    "features": {
        "kind": {
            "column": "what",
            "outcomes": ["Counter-Insurgency", "Other", "Fire"],
            "fold": {"Counter Insurgency": "Counter-Insurgency", "Blaze": "fire", "Nonsense": "other"},
        },
        "hurt": {"any_positive": ["dead", "wounded"]},
        "killed": {"any_positive": ["dead"]},
    },
}
SMALL = schema.parse(DOCUMENT, "small")


def entries(values, dead=None, wounded=None):
    keys = list(dict.fromkeys(schema.key(value) for value in values))
    zeros = np.zeros(len(values), np.int32)
    return reader.Entries(
        log="small",
        origin="file",
        unit=schema.ROW,
        regions=SMALL.regions,
        months=SMALL.months,
        times=np.ones(len(values), np.int64),
        region=zeros,
        month=zeros,
        values={"what": (tuple(keys), np.array([keys.index(schema.key(v)) for v in values], np.int32))},
        some={
            "dead": zeros if dead is None else np.array(dead, np.int32),
            "wounded": zeros if wounded is None else np.array(wounded, np.int32),
        },
    )


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ("Counter-Insurgency", "Counter-Insurgency"),
        ("COUNTER-insurgency", "Counter-Insurgency"),
        ("  counter   Insurgency ", "Counter-Insurgency"),
        ("blaze", "Fire"),
        ("OTHER", "Other"),  # an outcome of the log, not the catch-all
        ("other", "Other"),
        ("Nonsense", "other"),
        ("Counter_Insurgency", "other"),
        ("", "other"),
    ],
)
def test_a_value_becomes_an_outcome(value, outcome):
    table, _ = features.extract(SMALL, entries([value]))
    assert SMALL.features[0].outcomes[table.codes[0][0]] == outcome


def test_indicators_are_disjunctions():
    table, _ = features.extract(SMALL, entries(["Fire"] * 4, dead=[0, 0, 1, 1], wounded=[0, 1, 0, 1]))
    assert table.codes[1].tolist() == [0, 1, 1, 1]
    assert table.codes[2].tolist() == [0, 0, 1, 1]


def test_what_went_to_other_is_told_but_no_long_text():
    _, report = features.extract(SMALL, entries(["Fire", "stray", "Stray ", "rare", "", "x" * 61, "Nonsense"]))
    told = report["features"]["kind"]
    assert told["to other"] == 6
    assert list(told["values to other"].items()) == [
        ("stray", 2), ("(empty)", 1), ("(longer than 60 characters)", 1), ("nonsense", 1), ("rare", 1)
    ]  # fmt: skip
    assert told["outcomes"] == {"Counter-Insurgency": 0, "Other": 0, "Fire": 1, "other": 6}
    assert "NOT private" in report["note"]
    assert "values to other" not in report["features"]["hurt"]


def test_an_entry_more_is_a_row_more():
    """Neighbouring logs stay neighbours: no entry's features depend on another entry."""
    values = ["Fire", "stray", "Other", "Blaze", "stray", ""]
    whole, _ = features.extract(SMALL, entries(values, dead=[0, 1, 1, 0, 1, 0]))
    for i in range(6):
        less, _ = features.extract(
            SMALL, entries(values[:i] + values[i + 1 :], dead=[j for k, j in enumerate([0, 1, 1, 0, 1, 0]) if k != i])
        )
        for codes, fewer in zip(whole.codes, less.codes, strict=True):
            np.testing.assert_array_equal(np.delete(codes, i), fewer)


def test_entries_of_another_schema_are_refused():
    other = schema.parse({**DOCUMENT, "region": {"column": "where", "keep": ["North"]}}, "small")
    with pytest.raises(InputError, match="read again"):
        features.extract(other, entries(["Fire"]))
    more = {**DOCUMENT["features"], "more": {"any_positive": ["missing"]}}
    with pytest.raises(InputError, match="no column 'missing'"):
        features.extract(schema.parse({**DOCUMENT, "features": more}, "small"), entries(["Fire"]))
