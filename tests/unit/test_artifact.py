"""The artifact appendix: it is what its generator makes of committed numbers, and these are of today's experiments."""

import copy
import csv
import json
import re

import pytest

import refusals
from conftest import PROJECT
from dpsampling import files
from dpsampling.cli import main
from dpsampling.files import strict_json
from dpsampling.files.documents import read_yaml
from reproduction import project
from reproduction.artifact import appendix, measured
from reproduction.claims import COLUMNS, ERRATA_COLUMNS, VERDICTS

MAIN = PROJECT / "docs/artifact/main.yaml"
MEASURED = PROJECT / "docs/artifact/measured.json"
PAGE = (PROJECT / "ARTIFACT-APPENDIX.md").read_text(encoding="utf-8")
NUMBERS = strict_json.read(MEASURED)
CLAIMS = measured.main_claims(read_yaml(MAIN), "main.yaml")
AGAIN = "run 'make reproduce', then 'make appendix'"


def test_the_page_is_what_is_made_of_the_committed_numbers_and_another_of_others():
    assert appendix.page(CLAIMS, NUMBERS) == PAGE, "run 'make appendix'"
    other = copy.deepcopy(NUMBERS)
    other["claims"]["fig4_2.exact"]["measured"] = "99"
    other["parts"]["chapter5"]["seconds"] += 60
    assert len(set(appendix.page(CLAIMS, other).splitlines()) ^ set(PAGE.splitlines())) >= 4


def test_the_numbers_are_of_every_experiment_there_is():
    listed = {part: measures["experiments"] for part, measures in NUMBERS["parts"].items()}
    ours = {part: [e.id for e in project.experiments().values() if e.part == part] for part in project.parts()}
    assert listed == ours | {measured.OTHER: []}, AGAIN


def test_every_part_has_a_main_claim_and_an_experiment():
    assert [claim.part for claim in CLAIMS] == list(project.parts())
    assert re.findall(r"\*\*(C\d+)\*\*", PAGE) == [f"C{i}" for i in range(1, len(CLAIMS) + 1)]
    assert re.findall(r"(?m)^#### (E\d+):", PAGE) == [f"E{i}" for i in range(1, len(CLAIMS) + 1)]


def test_the_verdicts_are_those_that_the_words_rest_on():
    for claim in CLAIMS:
        assert {name: NUMBERS["claims"][name]["verdict"] for name in claim.shown_by} == claim.shown_by, AGAIN
        assert set(claim.shown_by.values()) <= set(VERDICTS)


def test_the_headings_are_those_that_evaluators_look_for():
    heads = ["Abstract", "Description and requirements", "Set-up", "Evaluation workflow"]
    heads += ["What cannot be reproduced, and why", "Notes on reusability"]
    assert re.findall(r"(?m)^## A\.\d (.*)$", PAGE) == heads
    below = ("Security, privacy and ethical concerns", "Hardware", "Software", "Main claims", "Experiments", "Basic")
    assert all(head in PAGE for head in below)


def test_every_command_can_be_given():
    targets = set(re.findall(r"(?m)^([a-z-]+):", (PROJECT / "Makefile").read_text(encoding="utf-8")))
    commands = [line for block in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]
    assert len(commands) >= len(CLAIMS) + 3
    for command in commands:
        words = command.split()
        if words[0] == "make":
            assert words[1] in targets
            part = dict(word.split("=") for word in words[2:]).get("PART")
            assert part is None or NUMBERS["parts"][part]["experiments"]
        else:
            assert words[0] == ".venv/bin/pytest"
            assert (PROJECT / words[1]).is_file()
    for link in re.findall(r"\]\(([^)]+)\)", PAGE):
        assert (PROJECT / link).exists(), link


def tree(folder, scale="paper", verdict="reproduced"):
    """A results tree of one claim."""
    row = dict.fromkeys(COLUMNS, "") | {"id": "fig5_2.x", "experiment": "fig5_2", "verdict": verdict, "measured": "1|2"}
    for name, columns, rows in (("claims", COLUMNS, [row]), ("errata", ERRATA_COLUMNS, [])):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    (folder / "config.yaml").write_text(f"scale: {scale}\nexperiments: {{fig5_2: {{}}}}\n", encoding="utf-8")
    (folder / "benchmarks/table").mkdir(parents=True)
    job = {"s": 61.5, "max_rss": 123.4, "wildcards": {"experiment": "fig5_2"}}
    (folder / "benchmarks/table/fig5_2.jsonl").write_text(json.dumps(job) + "\n", encoding="utf-8")
    claim = "{says: S., shown_by: {fig5_2.x: reproduced}, command: make part PART=chapter5, human: 3}"
    (folder / "main.yaml").write_text(f"chapter5: {claim}\n", encoding="utf-8")
    return folder


def measuring(folder):
    return ["artifact", "measure", str(folder), "--main", str(folder / "main.yaml"), "--out", str(folder / "m.json")]


def test_a_tree_is_measured_and_the_page_says_so(tmp_path):
    folder = tree(tmp_path)
    assert main(measuring(folder)) == 0
    part = {"experiments": ["fig5_2"], "data": [], "seconds": 62, "megabytes": 123, "verdicts": {"reproduced": 1}}
    assert strict_json.read(folder / "m.json")["parts"]["chapter5"] == part
    words = ["artifact", "page", "--main", str(folder / "main.yaml"), "--measured", str(folder / "m.json")]
    assert main([*words, "--out", str(folder / "page.md")]) == 0
    page = (folder / "page.md").read_text(encoding="utf-8")
    assert "[human-minutes: 3; compute-minutes: 2; MB: 123] supports C1." in page
    assert "measured 1|2: **reproduced**" in page


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"scale": "quick"}, "is no tree of 'make reproduce'"),
        ({"verdict": "refuted"}, "has fig5_2.x refuted, and what is said of chapter5 rests on reproduced"),
    ],
)
def test_a_tree_that_does_not_bear_the_words_is_refused(given, words, tmp_path, capsys):
    assert words in refusals.of_command(capsys, *measuring(tree(tmp_path, **given)))
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("chapter5: {says: S.}", "each part has 'says'"),
        ("chapter9: {says: S., shown_by: {}, command: c, human: 1}", "chapter9 is no part"),
        ("chapter5: {says: S., shown_by: {fig5_2.y: wrong}, command: c, human: 1}", "has no claim fig5_2.y"),
        ("chapter5: {says: S., shown_by: [a], command: c, human: 1}", "each part has 'says'"),
    ],
)
def test_main_claims_that_say_nothing_are_refused(text, words, tmp_path, capsys):
    folder = tree(tmp_path)
    files.write_text(folder / "main.yaml", text)
    assert words in refusals.of_command(capsys, *measuring(folder))


def test_numbers_that_are_none_are_refused(tmp_path, capsys):
    words = ["artifact", "page", "--main", str(MAIN), "--out", str(tmp_path / "p.md"), "--measured"]
    for text in ("{}", "[]", '{"parts": {"chapter4": 1}}', json.dumps(NUMBERS | {"claims": 7})):
        files.write_text(tmp_path / "m.json", text)
        said = refusals.of_command(capsys, *words, str(tmp_path / "m.json"))
        assert "does not tell what was measured" in said or "nothing was measured of logistic" in said
