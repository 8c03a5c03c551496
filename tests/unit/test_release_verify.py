"""A release's folder against its own numbers: whatever is changed in it is found, and its place is named."""

import json
import math
import shutil
from collections.abc import Callable, Mapping
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from dpsampling.cli import main
from dpsampling.files import json_text
from dpsampling.release import card, contents, kinds, verifying
from dpsampling.release.names import RELEASE
from some_release import modelled, released, survey, tabled, wards

Change = Callable[[Path], None]


def document(folder: Path) -> dict[str, Any]:
    return json.loads((folder / RELEASE).read_text(encoding="utf-8"))


def put(*path: str | int, to: Any) -> Change:
    """A change of one value in release.json; of a value by a function."""
    return changed(path, lambda inner, last: inner.__setitem__(last, to(inner[last]) if callable(to) else to))


def without(*path: str | int) -> Change:
    return changed(path, lambda inner, last: inner.__delitem__(last))


def changed(path: tuple[str | int, ...], do: Callable[[Any, str | int], None]) -> Change:
    """What is done to the part of release.json in which a value stands."""

    def change(folder: Path) -> None:
        whole = document(folder)
        *above, last = path
        do(reduce(getitem, above, whole), last)
        (folder / RELEASE).write_text(json_text(whole), encoding="utf-8")

    return change


def says(name: str, old: str, new: str) -> Change:
    """Another text in a file."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def extra(name: str) -> Change:
    return lambda folder: (folder / name).write_text("x", encoding="utf-8") and None


def linked(folder: Path) -> None:
    (folder / "CARD.md").rename(folder.parent / "elsewhere.md")
    (folder / "CARD.md").symlink_to(folder.parent / "elsewhere.md")


def nested(folder: Path) -> None:
    shutil.copytree(folder, folder.parent / "copy")
    (folder.parent / "copy").rename(folder / "states-5")


def swapped(folder: Path) -> None:
    """Two paragraphs change places."""
    parts = (folder / "CARD.md").read_text(encoding="utf-8").split("\n\n")
    place = next(i for i, part in enumerate(parts) if part.startswith(f"## {card.NOT}"))
    parts[place + 1], parts[place + 2] = parts[place + 2], parts[place + 1]
    (folder / "CARD.md").write_text("\n\n".join(parts), encoding="utf-8")


# What is done to any release, and what has to be said of it.
PLANTED: Mapping[str, tuple[Change, str | tuple[str, ...]]] = {
    "a number": (put("numbers", "integers", 0, to=lambda k: k + 1), "results"),
    "a number off the grid": (put("numbers", "integers", 0, to=40.5), "numbers.integers[0] is 40.5, where a whole"),
    "another grid": (put("numbers", "exponent", to=lambda k: k + 3), "release.json"),
    "a number less": (put("numbers", "integers", to=lambda numbers: numbers[:-1]), "release.json"),
    "another shape": (put("numbers", "shape", to=lambda shape: [*shape, 1]), "release.json"),
    "a number that is true": (put("numbers", "integers", 0, to=True), "numbers.integers[0] is true"),
    "ε understated": (put("guarantee", "epsilon", to=lambda e: e / 2), "guarantee.epsilon is 0.5, less than"),
    "ε a trifle less": (put("guarantee", "epsilon", to=lambda e: math.nextafter(e, 0)), "0.9999999999999999, less"),
    "ε overstated": (put("guarantee", "epsilon", to=lambda e: e * 1.001), "guarantee.epsilon is 1.001, more than"),
    "ε a text": (put("guarantee", "epsilon", to="1"), "guarantee.epsilon is '1', where a number belongs"),
    "δ from nowhere": (put("guarantee", "delta", to=1e-6), "guarantee.delta is 1e-06, where the mechanism has 0.0"),
    "a rate too large": (put("mechanism", "rate", to="3/2"), "guarantee.epsilon is 1.0, less than"),
    "a rate too small": (put("mechanism", "rate", to="1/1000"), "guarantee.epsilon is 1.0, more than"),
    "a rate that is none": (put("mechanism", "rate", to="1/0"), "mechanism"),
    "no rate": (without("mechanism", "rate"), "mechanism"),
    "another mechanism": (put("mechanism", "name", to="a coin"), ("release.json: ", "under 'Who is protected'")),
    "another relation": (
        put("guarantee", "relation", to="add or remove one record"), "where the mechanism has 'replace one record'",
    ),
    "a condition removed": (put("guarantee", "conditions", to=[]), "guarantee.conditions are []"),
    "fewer rows of a unit": (put("unit", "most", to=lambda most: most + 1), "guarantee.epsilon"),
    "another unit": (put("unit", "name", to="household"), "guarantee.conditions"),
    "rows that nobody tells apart": (put("unit", "identified", to=lambda told: not told), "under 'Who is protected'"),
    "less spent": (put("budget", "spent", to=0.5), "budget.spent"),
    "more left": (put("budget", "left", to=2.5), "budget.spent and left are 1.0 and 2.5, which are not the total of 3"),
    "a larger total": (put("budget", "total", to=4.0), "which are not the total of 4.0"),
    "nothing charged": (put("budget", "charged", to=0.0), "budget.charged is 0.0, where this release costs 1.0"),
    "a negative rest": (put("budget", "left", to=-1.0), "budget.left is -1.0, which is no level"),
    "free of charge": (put("derived_from", to="a" * 64), "budget.charged is 1.0, where this release costs 0.0"),
    "another level": (put("settings", "level", to=0.95), ("results", "under 'How to check it, and how to cite it'")),
    "other chance": (put("chance", to="7"), "under 'How to check it, and how to cite it'"),
    "too much chance": (put("chance", to="f" * 40), "chance has more than 128 bits"),
    "another version": (put("made_with", "numpy", to="1.0"), "under 'How to check it, and how to cite it'"),
    "a version that is none": (put("made_with", "numpy", to=1), "made_with.numpy is 1"),
    "never answered": (put("answered", "at", to=0), "answered.at is 0"),
    "answered later": (put("answered", "at", to=lambda at: at + 1), "under 'When it was answered'"),
    "a day to come": (put("on", to="2999-01-01"), "on is '2999-01-01', a day on which it cannot have been made"),
    "no day": (put("on", to="yesterday"), "on is 'yesterday', which is no day"),
    "another title": (put("title", to="Everything"), "under 'How to check it, and how to cite it'"),
    "a surplus key": (put("note", to="trust me"), "note is there, and belongs to no such release"),
    "a key inside": (put("budget", "bonus", to=1.0), "budget.bonus is there"),
    "a key less": (without("chance"), "chance is missing"),
    "another kind": (put("kind", to="lottery"), "kind is 'lottery'"),
    "another format": (put("version", to=2), "is a release of version 2"),
    "a key twice": (says(RELEASE, '"version": 1,', '"version": 1, "version": 1,'), "a key stands twice"),
    "no number": (says(RELEASE, '"exponent": 0', '"exponent": NaN'), "NaN is no number of JSON"),
    "half a file": (says(RELEASE, '"results"', ""), "is no JSON"),
    "ε in words": (says("CARD.md", "epsilon and is 1 ", "epsilon and is 0.1 "), "'Who is protected', says"),
    "a limit in words": (says("CARD.md", "73.2%", "51%"), "CARD.md, under 'Who is protected', says other words"),
    "a limit in card.json": (says("card.json", "73.2%", "51%"), "card.json, under 'Who is protected', says other"),
    "a figure in card.json": (says("card.json", "0.731", "0.511"), ".numbers.from 50% up to is 0.511"),
    "a sentence removed": (says("CARD.md", "It can also make a suspicion weaker", "It"), "'Who is protected', says"),
    "another form": (says("CARD.md", "It is no secret", "\nIt is no secret"), "CARD.md has the words"),
    "a paragraph more": (says("CARD.md", f"## {card.COST}", f"Trust us.\n\n## {card.COST}"), "under 'What was public"),
    "a heading more": (says("CARD.md", "\n\n## Who", "\n\n## Praise\n\nGood.\n\n## Who"), "under 'Praise'"),
    "paragraphs that change places": (swapped, "under 'What is not protected', says other words in paragraph 1"),
    "the promise": (says("CARD.md", "nothing added for rounding", "and more"), "under 'What the promise rests on'"),
    "an extra file": (extra("rows.csv"), "rows.csv is there, and belongs to no such release"),
    "a hidden file": (extra(".rows.csv"), ".rows.csv is there"),
    "an extra folder": (lambda folder: (folder / "more").mkdir(), "more is there"),
    "a card that is a link": (linked, "CARD.md is no regular file"),
    "no card": (lambda folder: (folder / "CARD.md").unlink(), "CARD.md is missing"),
    "no card.json": (lambda folder: (folder / "card.json").unlink(), "card.json is missing"),
    "a release inside that was paid for": (nested, "states-5/release.json: derived_from is"),
}  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> Path:
    """A release that nobody touched, with its data and ledger beside it."""
    place = tmp_path_factory.mktemp("good")
    assert released(survey(place), place / "out") == 0
    return place


@pytest.fixture
def folder(good, tmp_path) -> Path:
    return Path(shutil.copytree(good / "out", tmp_path / "out"))


def test_what_was_written_is_found_good(good, folder, capsys):
    assert main(["verify", str(folder), "--ledger", str(good / "survey.csv.ledger")]) == 0
    assert "follow from the numbers; not checked: the rows." in capsys.readouterr().out
    assert main(["verify", str(folder)]) == 0
    assert "not checked: the rows; the ledger" in capsys.readouterr().out


def assert_found(
    changes: Mapping[str, tuple[Change, str | tuple[str, ...]]], planted: str, folder: Path, capsys
) -> None:
    """What is planted is found, and its place is named."""
    change, expected = changes[planted]
    change(folder)
    assert main(["verify", str(folder)]) == 2
    said = capsys.readouterr()
    assert any(words in said.out for words in ([expected] if isinstance(expected, str) else expected)), said.out
    assert said.err.count("\n") == 1
    assert "is not what its numbers say" in said.err
    assert all(line == line.strip() and line.isprintable() for line in said.out.splitlines())


@pytest.mark.parametrize("planted", PLANTED)
def test_what_was_changed_is_found_and_named(planted, folder, capsys):
    assert_found(PLANTED, planted, folder, capsys)


def test_every_value_of_the_file_matters(folder):
    """One by one each value of release.json is made another, of its type: none goes unnoticed."""
    whole = document(folder)
    places = list(leaves(whole))
    assert len(places) > 30
    for path, value in places:
        other = {bool: lambda v: not v, int: lambda v: v + 1, float: lambda v: v * 1.5 + 0.25, str: lambda v: f"{v}x"}
        changed = "x" if value is None else other[type(value)](value)
        put(*path, to=lambda _, changed=changed: changed)(folder)
        assert verifying.verify(folder).faults, path
        (folder / RELEASE).write_text(json_text(whole), encoding="utf-8")
    assert not verifying.verify(folder).faults


def leaves(value: Any, *path: Any):
    if isinstance(value, dict | list) and value:
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, *path, name)
    elif not isinstance(value, dict | list):
        yield path, value


def test_whoever_forges_the_words_too_is_found_by_the_mathematics(folder):
    """A forger who runs this very code on changed statements: the level, the budget and the ledger are not theirs."""
    from dpsampling.release import pages

    release, whole, _ = contents.read(folder)
    number = next(path for path, leaf in leaves(whole["results"]) if isinstance(leaf, float))
    for path, value, expected in (
        (("guarantee", "epsilon"), 0.25, "guarantee.epsilon is 0.25, less than"),
        (("mechanism", "rate"), "4", "guarantee.epsilon is 1.0, less than"),
        (("budget", "spent"), 2.5, "budget.spent and left"),
        (("results", *number), 0.123, "results"),
    ):
        put(*path, to=value)(folder)
        forged = document(folder)
        for name, text in pages.texts(contents.from_record(forged, "x"), forged["results"]).items():
            (folder / name).write_text(text, encoding="utf-8")
        faults = verifying.verify(folder).faults
        assert any(expected in fault for fault in faults), (path, faults)
        assert not any("CARD.md" in fault for fault in faults)
        (folder / RELEASE).write_text(json_text(whole), encoding="utf-8")
    assert release.kind in kinds.KINDS


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (put("budget", to=lambda b: {**b, "total": 4.0, "left": 3.0}), "a total of 3.0 at delta 0.0, the release 4"),
        (put("budget", to=lambda b: {**b, "spent": 2.0, "left": 1.0}), "has no line that charges 1.0"),
        (put("unit", "name", to="household"), "protects each 'respondent', the release each 'household'"),
    ],
)
def test_a_ledger_tells_another_story(change, expected, good, folder):
    change(folder)
    faults = verifying.verify(folder, good / "survey.csv.ledger").faults
    assert any(expected in fault for fault in faults), faults


def test_later_releases_do_not_change_what_an_earlier_one_says(good, tmp_path):
    data = survey(tmp_path)
    for name in ("one", "two", "three"):
        assert released(data, tmp_path / name) == 0
    for name in ("one", "two", "three"):
        assert not verifying.verify(tmp_path / name, tmp_path / "survey.csv.ledger").faults
    assert released(data, tmp_path / "four") == 2
    assert verifying.verify(tmp_path / "three", good / "survey.csv.ledger").faults


def test_levels_that_are_no_short_sums_are_good(tmp_path):
    """Budgets are kept as decimals, and told as floats: .1 thrice is .30000000000000004, and .7 is left."""
    data = survey(tmp_path)
    for place, epsilon in enumerate(("0.1", "0.1", "0.1", "0.7", "0.33")):
        assert released(data, tmp_path / f"{place}", "--epsilon", epsilon) == 0
        assert not verifying.verify(tmp_path / f"{place}", tmp_path / "survey.csv.ledger").faults


@pytest.mark.parametrize("name", ["no-such-folder", "a-file"])
def test_what_is_no_release_is_one_sentence(name, tmp_path, capsys):
    (tmp_path / "a-file").write_text("x", encoding="utf-8")
    for command in (["explain", str(tmp_path / name)], ["verify", str(tmp_path / name)]):
        assert main(command) == 2
        told = capsys.readouterr()
        assert (told.out, told.err.count("\n")) == ("", 1)


def test_a_ledger_is_for_releases(tmp_path, capsys):
    assert main(["verify", str(tmp_path), "--ledger", str(tmp_path / "l")]) == 2
    assert "leave out --ledger" in capsys.readouterr().err


def test_a_ledger_that_is_none_is_one_sentence(folder, tmp_path, capsys):
    (tmp_path / "l").write_text("{}", encoding="utf-8")
    for name in ("l", "m"):
        assert main(["verify", str(folder), "--ledger", str(tmp_path / name)]) == 2
        told = capsys.readouterr()
        assert (told.out, told.err.count("\n")) == ("", 1)


# -- what a kind has of its own ---------------------------------------------------------------------------------------


def repainted(name: str) -> Change:
    """Another picture of the same size."""

    def change(folder: Path) -> None:
        from PIL import Image

        with Image.open(folder / name) as picture:
            other = picture.convert("RGB")
        other.putpixel((3, 3), (255, 0, 0))
        other.save(folder / name)

    return change


def resaved(folder: Path) -> None:
    """The same pixels in other bytes."""
    from PIL import Image

    with Image.open(folder / "share.png") as picture:
        picture.load()
        picture.save(folder / "share.png", compress_level=0)


def shortened(folder: Path) -> None:
    lines = (folder / "share.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "share.csv").write_text("".join(lines[:-1]), encoding="utf-8")


def halved(folder: Path) -> None:
    (folder / "share.png").write_bytes((folder / "share.png").read_bytes()[:900])


OF_PROPORTIONS: Mapping[str, tuple[Change, str]] = {
    "an interval narrowed": (
        put("results", "in_the_data", "low", to=lambda low: low + 0.01), "release.json: results.in_the_data.low is",
    ),
    "chance": (put("chance", to="7"), "release.json: results"),
    "a level": (put("settings", "level", to=0.99), "release.json: results"),
    "a number in the table": (says("share.csv", "0.9", "0.8"), "share.csv, line"),
    "a line less in the table": (shortened, "share.csv, line"),
    "a picture": (repainted("share.png"), "share.png shows something else"),
    "half a picture": (halved, "share.png shows something else"),
    "no picture": (lambda folder: (folder / "share.png").unlink(), "share.png is missing"),
    "an answer renamed": (put("declared", "yes", to="maybe"), "CARD.md, under 'What was released'"),
    "how noisy it is": (says("CARD.md", "The noise moves each count by ", "The noise moves each by 0"), "How noisy"),
    "how sure it is": (says("CARD.md", "nine in ten", "99 in a hundred"), "under 'What it says', says other words"),
}  # fmt: skip


@pytest.mark.parametrize("planted", OF_PROPORTIONS)
def test_what_was_changed_in_a_proportion_is_found(planted, folder, capsys):
    assert_found(OF_PROPORTIONS, planted, folder, capsys)


def test_a_picture_is_its_pixels(folder):
    resaved(folder)
    assert not verifying.verify(folder).faults


def test_versions_that_draw_otherwise_are_said(folder, capsys, monkeypatch):
    """A picture that other versions drew is not compared; the rest is."""
    from dpsampling.release import publish

    other = {**publish.made_with(), "matplotlib": "1.0"}
    monkeypatch.setattr(publish, "made_with", lambda: other)
    assert main(["verify", str(folder)]) == 0
    assert "share.png, which was drawn with other versions" in capsys.readouterr().out
    says("share.csv", "0.9", "0.8")(folder)
    assert main(["verify", str(folder)]) == 2


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("model")
    assert modelled(wards(place), place / "out") == 0
    assert main(["release", "hmm", "--from", str(place / "out"), "--states", "2", "--quantum", "0.05"]) == 0
    return place


# All at once, for a model takes its time: each has a place of its own.
OF_MODELS: Mapping[str, tuple[Change, str]] = {
    "an emission": (
        put("results", "emissions", "mean", 0, 0, to=lambda share: share + 0.01), "results.emissions.mean[0][0] is",
    ),
    "an interval narrowed": (put("results", "start", "low", 0, to=0.99), "release.json: results.start.low[0] is"),
    "a rate": (put("mechanism", "rate", to="1"), "release.json: guarantee.epsilon is 2.0, less than"),
    "features": (put("mechanism", "features", to=3), "release.json: the mechanism is of another number of features"),
    "an outcome in one file": (says("emissions.csv", "fever", "cold"), "emissions.csv, line"),
    "a noisy count in one file": (says("noisy_counts.csv", "nobody", "somebody"), "noisy_counts.csv, line"),
    "a picture": (repainted("emissions.png"), "emissions.png shows something else"),
    "states in words": (says("CARD.md", "has 1 state", "has 9 states"), "under 'What was released'"),
    "another's numbers": (
        lambda folder: put("numbers", "integers", 0, to=-1234)(folder / "states-2"),
        "states-2/release.json: numbers is not that of the release around it",
    ),
    "from another": (
        lambda folder: put("derived_from", to="b" * 64)(folder / "states-2"), "states-2/release.json: derived_from is",
    ),
    "not free": (
        lambda folder: put("budget", "charged", to=2.0)(folder / "states-2"),
        "states-2/release.json: budget.charged is 2.0, where this release costs 0.0",
    ),
}  # fmt: skip


def test_what_was_changed_in_a_model_is_found(model, tmp_path, capsys):
    ledger = str(model / "wards.csv.ledger")
    assert main(["verify", str(model / "out"), "--ledger", ledger]) == 0, capsys.readouterr().out
    folder = Path(shutil.copytree(model / "out", tmp_path / "out"))
    for change, _ in OF_MODELS.values():
        change(folder)
    capsys.readouterr()
    assert main(["verify", str(folder)]) == 2
    told = capsys.readouterr().out
    for name, (_, expected) in OF_MODELS.items():
        assert expected in told, (name, told)


def test_a_model_of_other_versions_is_looked_at_for_what_is_impossible(model, tmp_path, capsys, monkeypatch):
    from dpsampling.release import hmm, publish

    monkeypatch.setattr(publish, "made_with", lambda: {"dpsampling": "another"})
    monkeypatch.setattr(hmm, "results", lambda _: pytest.fail("a chain was run"))
    assert main(["verify", str(model / "out")]) == 0
    assert "the model, which was made with other versions" in capsys.readouterr().out
    for path, value, expected in (
        (("transitions", "mean", 0, 0), 0.5, "transitions.mean has probabilities that do not sum to 1"),
        (("emissions", "mean", 0, 0), 0.99, "emissions.mean has probabilities that do not sum to 1"),
        (("emissions", "low", 0, 0), 0.999, "emissions has limits of which the lower one is above the other"),
        (("start", "high", 0), 1.5, "start has a probability above 1"),
        (("dwell_months", "low", 0), -1.0, "dwell_months has something below 0"),
        (("state_of_cell", 0, 0), 2, "state_of_cell has a state that there is not"),
        (("probability_of_state", 0, 0, 0), 0.4, "probability_of_state has probabilities that do not sum to 1"),
        (("states",), 2, "results.states is 2, where 1 were asked for"),
        (("start",), {}, "mechanism, declared, settings or results are not those"),
    ):
        folder = Path(shutil.copytree(model / "out", tmp_path / "copy"))
        put("results", *path, to=value)(folder)
        faults = verifying.verify(folder).faults
        assert any(expected in fault for fault in faults), (path, faults)
        shutil.rmtree(folder)


OF_TABLES: Mapping[str, tuple[Change, str]] = {
    "rows of a patient": (put("unit", "most", to=2), "release.json: guarantee.epsilon is 1.0, more than"),
    "a rate": (put("mechanism", "rate", to="1/2"), "release.json: guarantee.epsilon is 1.0, less than"),
    "a noisy count": (put("numbers", "integers", 0, to=lambda k: k + 7), "release.json: results"),
    "a region lost": (put("numbers", "shape", 0, to=lambda n: n - 1), "release.json"),
    "a cell in one file": (says("table.csv", "nobody", "somebody"), "table.csv, line"),
    "an extra file": (extra("rows.csv"), "rows.csv is there"),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("table")
    assert tabled(wards(place), place / "out") == 0
    return place


@pytest.mark.parametrize("planted", OF_TABLES)
def test_what_was_changed_in_a_table_is_found(planted, table, tmp_path, capsys):
    assert_found(OF_TABLES, planted, Path(shutil.copytree(table / "out", tmp_path / "out")), capsys)


def test_a_table_is_found_good(table):
    assert not verifying.verify(table / "out", table / "wards.csv.ledger").faults


def test_a_delta_that_is_dropped_or_halved_is_found(tmp_path):
    asked = ["--mechanism", "gaussian", "--delta", "1e-6", "--budget-delta", "1e-6", "--records", "60"]
    assert released(survey(tmp_path), tmp_path / "out", *asked) == 0
    assert not verifying.verify(tmp_path / "out", tmp_path / "survey.csv.ledger").faults
    whole = document(tmp_path / "out")
    for delta in (0.0, 5e-7):
        put("guarantee", "delta", to=delta)(tmp_path / "out")
        faults = verifying.verify(tmp_path / "out").faults
        assert any(f"guarantee.delta is {delta!r}, where the mechanism has 1e-06" in fault for fault in faults), faults
        (tmp_path / "out" / RELEASE).write_text(json_text(whole), encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        put("mechanism", "rate", to="1e-300000000"),
        put("mechanism", "rate", to="1e300000000"),
        put("mechanism", "rate", to=0.5),
        put("numbers", "exponent", to=10**12),
        put("numbers", "exponent", to=-1),
    ],
)
@pytest.mark.parametrize("command", ["verify", "explain"])
def test_numbers_that_would_fill_the_memory_are_not_written_out(change, command, folder, capsys):
    change(folder)
    assert main([command, str(folder)]) == 2
    assert "is no release" in "".join(capsys.readouterr())


def test_noise_of_any_width_is_looked_at(table, tmp_path, capsys):
    """A rate that no table has is a fault, and its sums of noise are not written out one by one."""
    shutil.copytree(table / "out", folder := tmp_path / "out")
    put("mechanism", "rate", to="1/1000000000000")(folder)
    assert main(["verify", str(folder)]) == 2
    assert "guarantee.epsilon is" in capsys.readouterr().out
