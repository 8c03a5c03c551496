"""Schemas of logs: the shipped ones, changes, likeness, and one sentence for each mistake."""

import re

import pytest
import yaml

from dpsampling.cli.configuration import Config
from dpsampling.datasets.forms import DataSet
from dpsampling.errors import InputError
from dpsampling.event_logs import forms, schema
from dpsampling.files.documents import root
from reproduction.project import ExperimentFile

SMALL = {
    "title": "Small",
    "public": {"by": "the ward's office", "on": "2021-03-04"},
    "unit": "row",
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
    assert schema.names() == ["afghanistan", "afghanistan_casualties", "afghanistan_textless", "iraq"]
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
        assert set(log.wanted).isdisjoint({"Summary", "Title", "UnitName", "MGRS", "Latitude", "summary", "title"})
    for name in schema.names():
        assert "file" not in yaml.safe_load((root() / "config" / "logs" / f"{name}.yaml").read_text(encoding="utf-8"))
        assert schema.load(name).raw == ()


def test_a_log_like_another_differs_in_what_it_says_alone():
    full, less = schema.load("afghanistan"), schema.load("afghanistan_textless")
    assert (less.simulator, less.published, less.counted()) == (None, None, None)
    assert [f.outcomes for f in less.features] == [f.outcomes for f in full.features]
    assert (less.months, less.regions) == (full.months, full.regions)
    assert less.time_column == "date"
    assert [p.name for p in schema.files("afghanistan_textless")] == ["afghanistan_textless.yaml", "afghanistan.yaml"]
    assert [p.parent.name for p in schema.files("iraq")] == ["simulators", "logs"]
    assert all(p.is_file() for name in schema.names() for p in schema.files(name))


def test_changes_are_laid_over():
    log = schema.load("afghanistan", {"file": "rows.csv", "time": {"from": "2008-01"}, "region": {"keep": ["RC EAST"]}})
    assert (log.raw, len(log.months), log.regions) == (("rows.csv",), 24, ("RC EAST",))
    assert log.time_formats == ("%Y-%m-%d %H:%M:%S",)


def test_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(SMALL, sort_keys=False), encoding="utf-8")
    log = schema.load(str(path), {"delimiter": ";"})
    assert (log.name, log.delimiter, log.months) == ("mine", ";", ("2020-11", "2020-12", "2021-01", "2021-02"))
    assert log.features[0].outcomes == ("Red", "Blue", "other")
    assert dict(log.features[0].fold) == {"rde": "Red", "pink": "other"}
    assert log.wanted == ("when", "where", "what", "dead", "wounded")


def test_codes_that_yaml_takes_for_numbers_are_text():
    assert schema.parse(changed("region/keep", [1, 2]), "x").regions == ("1", "2")


def test_a_schema_says_who_made_it_public_and_who_is_protected():
    log = schema.parse(SMALL, "x")
    assert (log.public.by, str(log.public.on)) == ("the ward's office", "2021-03-04")
    assert (log.unit, log.unit_column) == (schema.Unit("row", 1), None)
    log = schema.parse(changed("unit", {"name": "patient", "column": "who", "most": 3}), "x")
    assert (log.unit, log.unit_column) == (schema.Unit("patient", 3), "who")
    assert log.wanted[-1] == "who"
    for name, by, on in (("afghanistan", "WikiLeaks", "2010-07-25"), ("iraq", "WikiLeaks", "2010-10-22")):
        log = schema.load(name)
        assert by in log.public.by
        assert (str(log.public.on), log.unit) == (on, schema.ROW)


def test_the_word_on_needs_no_quotes():
    """YAML takes it for true."""
    document = {**SMALL, "public": yaml.safe_load("{by: me, on: 2021-03-04}")}
    assert True in document["public"]
    assert str(schema.parse(document, "x").public.on) == "2021-03-04"


def test_a_declaration_is_not_inherited(tmp_path):
    """Who answers for one list of regions does not answer for another."""
    path = tmp_path / "mine.yaml"
    path.write_text("like: iraq\nregion: {keep: [Atlantis]}\n", encoding="utf-8")
    with pytest.raises(InputError, match="public is not said"):
        schema.load(str(path))
    path.write_text("like: iraq\nregion: {keep: [Atlantis]}\npublic: {by: me, on: 2021-03-04}\n", encoding="utf-8")
    assert (schema.load(str(path)).public.by, schema.load(str(path)).unit) == ("me", schema.ROW)


def test_formats_may_be_several():
    several = ["%d.%m.%Y", "%Y-%m-%d", "%m/%d/%y", "%d.%m.%Y"]
    assert schema.parse(changed("time/format", several), "x").time_formats == ("%d.%m.%Y", "%Y-%m-%d", "%m/%d/%y")


@pytest.mark.parametrize(
    ("form", "other"),
    [("%d/%m/%Y", "%m/%d/%Y"), ("%Y-%m-%d", "%Y-%d-%m"), ("%Y%m", "%Y%m%d"), ("%y-%m-%d", "%d-%m-%y"),
     ("%d/%m/%Y %H:%M", "%m/%d/%Y %I:%M"), ("%m/%d/%Y %H:%M:%S", "%d/%m/%Y %H:%M:%S")],
)  # fmt: skip
def test_formats_that_disagree_are_refused_in_either_order(form, other):
    for pair in ([form, other], [other, "%d %B %Y", form]):
        with pytest.raises(InputError, match="but as different months; keep one of them"):
            schema.parse(changed("time/format", pair), "x")


def test_the_example_of_a_disagreement_is_one():
    day, month, _ = schema.disputed("%d/%m/%Y", "%m/%d/%Y").split("/")
    assert day != month
    assert int(day) <= 12


def test_what_texts_mean_is_shared_by_the_features_of_a_column():
    document = changed("features/hurt/counts", {"1 (Minor)": 1, "N/A ": 0, "": 0, 99: 0})
    document["features"]["killed"] = {"any_positive": ["dead"], "counts": {"many": 7}}
    log = schema.parse(document, "x")
    assert log.meanings("wounded") == {"1 (minor)": 1, "n/a": 0, "": 0, "99": 0}
    assert log.meanings("dead") == {"1 (minor)": 1, "n/a": 0, "": 0, "99": 0, "many": 7}
    document["features"]["killed"]["counts"]["n/a"] = 1
    with pytest.raises(InputError, match="features give 'n/a' in column 'dead' the counts"):
        schema.parse(document, "x")


MISTAKES = [
    ("public", None, "public is not said; when all"),
    ("public", False, "its schema is a draft, for public is no"),
    ("public", True, "declare who made it so and when"),
    ("public", {"by": "me"}, "'on' is missing"),
    ("public", {"by": " ", "on": "2021-03-04"}, "public.by is empty"),
    ("public", {"by": "me", "on": "2021-02-30"}, "public.on is '2021-02-30'; write the day as in"),
    ("public", {"by": "me", "on": "2021"}, "write the day as in"),
    ("public", {"by": "me", "on": "9999-01-01"}, "a day to come"),
    ("unit", None, "unit is not said; write 'unit: row'"),
    ("unit", "patient", "unit is 'patient'; it must be 'row'"),
    ("unit", {"name": "patient", "column": "who"}, "unit: 'most' is missing"),
    ("unit", {"name": "patient", "must": 1, "most": 1}, "unknown key 'must' of unit (did you mean 'most'?)"),
    ("header", 1, "header is 1; it must be true or false."),
    ("most_outside", True, "most_outside is True; it must be a number at least 0 and at most 1."),
    ("time", 5, "time is 5; it must be a mapping of keys to values."),
    ("unit", {"name": "patient", "column": "who", "most": 0}, "most is 0; it must be a whole number at least 1"),
    ("unit", {"name": "patient", "column": "who", "most": 1.5}, "a whole number"),
    ("unit", {"name": "Row", "column": "who", "most": 2}, "unit.name is row"),
    ("unit", {"name": " ", "column": "who", "most": 2}, "unit.name is empty"),
    ("unit", {"name": "patient", "column": "WHERE", "most": 2}, "identifiers are not, name another column"),
    ("time/format", [], "a list of 1 or more"),
    ("time/format", ["%Y-%m-%d", "%H:%M"], "time.format is '%H:%M'"),
    ("features/hurt/counts", {"few": -1}, "it must be a whole number at least 0"),
    ("features/hurt/counts", {"few": "3"}, "it must be a whole number"),
    ("features/hurt/counts", {"a few": 3, "A  few": 4}, "counts 'A few' twice, as 3 and 4"),
    ("features/hurt/counts", {False: 0}, "put it in quotes"),
    ("features/kind/counts", {"a": 1}, "has 'counts' beside 'column'"),
    ("most_unread", -1, "at least 0"),
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


def test_the_unit_s_column_must_be_among_the_columns():
    document = changed("columns", ["when", "where", "what", "dead", "wounded"])
    document["unit"] = {"name": "patient", "column": "who", "most": 2}
    with pytest.raises(InputError, match="column 'who' is not among"):
        schema.parse(document, "x")


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


@pytest.mark.parametrize(("page", "unit"), [("event-logs.md", ("patient", 3)), ("extending.md", ("row", 1))])
def test_the_examples_of_the_documentation_are_schemas(page, unit):
    blocks = re.findall(r"^```yaml\n(title: Wards\n.*?)^```$", (root() / "docs" / page).read_text("utf-8"), re.M | re.S)
    (example,) = [schema.parse(yaml.safe_load(block), "wards") for block in blocks]
    assert (example.unit.name, example.unit.most) == unit


@pytest.mark.parametrize("form", [forms.Log, forms.Simulator, DataSet, Config, ExperimentFile])
def test_every_key_of_a_file_is_described(form):
    schema = form.model_json_schema()
    for told in (schema, *schema.get("$defs", {}).values()):
        assert told["additionalProperties"] is False
        assert all(key["description"] for key in told["properties"].values())
