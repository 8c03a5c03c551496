"""Schemas of logs: the shipped ones, changes, likeness, and one sentence for each mistake."""

from __future__ import annotations

import pytest
import yaml

from dpsampling.documents import root
from dpsampling.errors import InputError
from dpsampling.warlogs import schema

SMALL = {
    "title": "Small",
    "time": {"column": "when", "format": "%d.%m.%Y", "from": "2020-11", "to": "2021-02"},
    "region": {"column": "where", "keep": ["North", "South"], "drop": ["Sea"]},
    "features": {
        "kind": {"column": "what", "outcomes": ["Red", "Blue"], "fold": {"Rde": "red", "Pink": "other"}},
        "hurt": {"any_positive": ["dead", "wounded"]},
    },
}


def changed(path: str, value: object) -> dict:
    """SMALL with one key set, or left out for None."""
    document = yaml.safe_load(yaml.safe_dump(SMALL, sort_keys=False))
    *above, last = path.split("/")
    inside = document
    for name in above:
        inside = inside[name]
    if value is None:
        del inside[last]
    else:
        inside[last] = value
    return document


def test_the_published_shapes():
    assert schema.names() == ["afghanistan", "afghanistan_textless", "iraq"]
    iraq, afghanistan = schema.load("iraq"), schema.load("afghanistan")
    assert (len(iraq.columns), len(iraq.months), len(iraq.regions), len(iraq.features)) == (34, 59, 5, 5)
    assert (len(afghanistan.columns), len(afghanistan.months), len(afghanistan.regions)) == (32, 72, 5)
    assert iraq.header
    assert not afghanistan.header
    assert (iraq.months[0], iraq.months[-1]) == ("2004-01", "2008-12")
    assert "2004-05" not in iraq.months
    assert sum(month.startswith("2009") for month in iraq.dropped_months) == 12
    for log in (iraq, afghanistan):
        assert [f.name for f in log.features] == ["type", "category", "friendly_or_host", "civilian", "enemy"]
        assert [f.outcomes[-1] for f in log.features] == ["other", "other", "some", "some", "some"]
        assert log.file is None
        assert set(log.wanted).isdisjoint({"Summary", "Title", "UnitName", "MGRS", "Latitude", "summary", "title"})


def test_no_log_names_a_file():
    for name in schema.names():
        assert "file" not in yaml.safe_load((root() / "config" / "logs" / f"{name}.yaml").read_text(encoding="utf-8"))
        assert schema.load(name).file is None


def test_a_log_like_another_differs_in_what_it_says_alone():
    full, less = schema.load("afghanistan"), schema.load("afghanistan_textless")
    assert less.simulator is None
    assert [f.outcomes for f in less.features] == [f.outcomes for f in full.features]
    assert (less.months, less.regions) == (full.months, full.regions)
    assert less.time_column == "date"
    assert [p.name for p in schema.files("afghanistan_textless")] == ["afghanistan_textless.yaml", "afghanistan.yaml"]
    assert [p.parent.name for p in schema.files("iraq")] == ["simulators", "logs"]
    assert all(p.is_file() for name in schema.names() for p in schema.files(name))


def test_changes_are_laid_over():
    log = schema.load("afghanistan", {"file": "rows.csv", "time": {"from": "2008-01"}, "region": {"keep": ["RC EAST"]}})
    assert (log.file, len(log.months), log.regions) == ("rows.csv", 24, ("RC EAST",))
    assert log.time_format == "%Y-%m-%d %H:%M:%S"


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(SMALL, sort_keys=False), encoding="utf-8")
    log = schema.load(str(path), {"delimiter": ";"})
    assert (log.name, log.delimiter, log.months) == ("mine", ";", ("2020-11", "2020-12", "2021-01", "2021-02"))
    assert log.features[0].outcomes == ("Red", "Blue", "other")
    assert dict(log.features[0].fold) == {"rde": "Red", "pink": "other"}
    assert log.wanted == ("when", "where", "what", "dead", "wounded")


def test_codes_that_yaml_takes_for_numbers_are_text():
    log = schema.parse(changed("region/keep", [1, 2]), "x")
    assert log.regions == ("1", "2")


MISTAKES = [
    ("titel", "x", "unknown key 'titel' (did you mean 'title'?)"),
    ("title", None, "'title' is missing"),
    ("time/format", "%d %H", "must hold the year and the month"),
    ("time/format", "%Y-%m-%d %z", "no time zone"),
    ("time/from", "2020-13", "write a month as in 2004-01"),
    ("time/from", "2022-01", "put the earlier month first"),
    ("time/drop", ["2020-11", "2020-12", "2021-01"], "keep at least two"),
    ("region/keep", [], "a list of 1 or more"),
    ("region/keep", ["North", "NORTH"], "twice"),
    ("region/drop", ["south"], "both kept and dropped"),
    ("delimiter", ";;", "one character"),
    ("encoding", "klingon", "name one that is known"),
    ("header", False, "list its columns"),
    ("columns", ["when", "where", "what", "dead"], "column 'wounded' is not among"),
    ("columns", ["when", "where", "what", "dead", "wounded", "Dead"], "twice"),
    ("features", {}, "features is {}"),
    ("features/kind/outcomes", None, "has no 'outcomes'"),
    ("features/kind/outcomes", ["Red", " red"], "twice"),
    ("features/kind/fold", {"Rde": "Rad"}, "none of its outcomes (did you mean 'Red'?)"),
    ("features/kind/fold", {"RED": "Blue"}, "which is one of its outcomes"),
    ("features/hurt/column", "what", "either 'column' with 'outcomes', or 'any_positive'"),
    ("features/hurt/fold", {"a": "b"}, "'fold' beside 'any_positive'"),
    ("most_outside", 2, "at most 1"),
]


@pytest.mark.parametrize(("path", "value", "sentence"), MISTAKES)
def test_a_mistake_is_one_sentence(path, value, sentence):
    with pytest.raises(InputError) as error:
        schema.parse(changed(path, value), "small")
    assert sentence in str(error.value)
    assert str(error.value).startswith("log small")
    assert "\n" not in str(error.value)


def test_likeness_cannot_go_in_circles(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(f"like: {path}\n", encoding="utf-8")
    with pytest.raises(InputError, match="name another log"):
        schema.load(str(path))


def test_an_unknown_log_is_named_with_near_ones():
    with pytest.raises(InputError, match="did you mean 'iraq'"):
        schema.load("irak")
    with pytest.raises(InputError, match="does not exist"):
        schema.load("nowhere.yaml")


@pytest.mark.parametrize("name", ["log", "simulator"])
def test_every_key_of_the_schema_files_is_described(name):
    document = yaml.safe_load((root() / "workflow" / "schemas" / f"{name}.schema.yaml").read_text(encoding="utf-8"))

    def walk(node):
        for key, value in node.get("properties", {}).items():
            assert value.get("description"), key
        for below in (*node.get("properties", {}).values(), node.get("items"), node.get("additionalProperties")):
            if isinstance(below, dict):
                walk(below)
        if "properties" in node:
            assert node.get("additionalProperties") is False

    walk(document)
