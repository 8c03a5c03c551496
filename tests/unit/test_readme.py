"""README.md says of figures and verdicts what a results tree says: nothing of it is typed."""

import importlib.util
import os
import re
from copy import deepcopy
from pathlib import Path

import pytest
from PIL import Image

import tables
from conftest import PROJECT
from dpsampling.files.documents import read_yaml
from reproduction import config, project

FRONT = PROJECT / "docs/front"
README = (PROJECT / "README.md").read_text(encoding="utf-8")


def script():
    spec = importlib.util.spec_from_file_location("front", FRONT / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make = script()
TOLD = make.known()
FINDINGS = [finding for group in make.sentences().values() for finding in group]


def test_what_is_not_typed_is_what_the_script_writes():
    assert make.written(README, TOLD) == README
    other = deepcopy(TOLD)
    other["told"]["fig5_1.private"]["verdict"] = "reproduced"
    assert make.written(README, other) != README
    other = deepcopy(TOLD)
    other["verdicts"]["wrong"] += 1
    assert make.written(README, other) != README
    other = deepcopy(TOLD)
    other["experiments"]["fig6_2"] = {"refuted": 1}
    assert make.written(README, other) != README


@pytest.mark.parametrize("finding", FINDINGS, ids=lambda finding: finding["id"])
def test_every_number_of_a_finding_is_the_claims_own(finding):
    row = TOLD["told"][finding["id"]]
    assert make.unheard_of(finding, row) == []
    number = make.NUMBER.findall(make.NAMES.sub("", finding["told"]))[0]
    assert make.unheard_of({**finding, "told": finding["told"].replace(number, "0.4711", 1)}, row) == ["0.4711"]


def test_a_number_is_heard_of_at_the_digits_that_are_told():
    row = {"statement": "the loss is 2.197, of 0.08789, δ 1e-08", "measured": "error 0.306"}
    assert make.unheard_of({"told": "2.2, 0.088, 31% and 1e-08"}, row) == []
    told = {"told": "2.19, 0.087, 30%, 1e-07; Theorem 9 (ii)"}
    assert make.unheard_of(told, row) == ["2.19", "0.087", "30%", "1e-07"]


def test_the_counts_are_of_one_another():
    assert sum(TOLD["verdicts"].values()) == TOLD["claims"]
    assert sum(number for found in TOLD["experiments"].values() for number in found.values()) == TOLD["claims"]
    assert TOLD["of the sources, reproduced"] <= TOLD["verdicts"]["reproduced"]
    assert TOLD["failing, privacy over-stated"] <= TOLD["failing"] < TOLD["claims"] / 2
    assert set(TOLD["experiments"]) <= set(project.experiments())
    assert len(make.sentences()["findings"]) == 5


def test_every_experiment_has_a_row_with_its_verdicts():
    rows = [match[1] for match in make.ROW.finditer(README)]
    assert sorted([name for row in rows for name in make.ID.findall(row)]) == sorted(project.experiments())


def test_every_page_of_the_documentation_is_linked():
    pages = {path.name for path in (PROJECT / "docs").glob("*.md")}
    assert pages <= set(re.findall(r"\(docs/([\w-]+\.md)", README))


def test_the_picture_is_light_and_reads_on_a_phone():
    halves = sorted(FRONT.glob("*.png"))
    assert [half.name for half in halves] == re.findall(r"front/(\S+\.png)", "".join(sorted(README.splitlines())))
    assert sum(half.stat().st_size for half in halves) < 250_000
    for half in halves:
        with Image.open(half) as image:
            assert image.width >= 600  # sharp at 360 points on a screen of two pixels a point, side by side at 830
    assert README.count('width="400" alt="') == len(halves)


def test_how_to_cite_is_what_the_citation_file_says():
    cited = read_yaml(PROJECT / "CITATION.cff")
    block = re.search(r"```bibtex\n(.*?)```", README, re.DOTALL)[1]
    assert cited["title"] in block
    assert f"version = {{{cited['version']}}}" in block
    assert f"year = {{{cited['date-released'][:4]}}}" in block
    assert all(author["name"] in block for author in cited["authors"])
    assert cited["references"][0]["title"] in block


def test_the_unfolded_page_is_about_three_screens():
    assert re.sub(r"<details>.*?</details>", "", README, flags=re.DOTALL).count("\n") < 175


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({finding["id"].partition(".")[0] for finding in FINDINGS}))
def test_the_findings_are_what_is_computed_at_the_scale_of_the_sources(name):
    if project.experiment(name).needs:
        pytest.skip("its rows are not here")
    found = {f"{name}.{c.id}": c for c in tables.judged(name, tables.made(name, seed=config.load()["seed"]))}
    for claim, row in TOLD["told"].items():
        if claim in found:
            one = found[claim]
            assert (one.verdict, one.privacy, one.statement, one.measured) == (
                *(row["verdict"], row["privacy"], row["statement"], row["measured"]),
            )


@pytest.mark.slow
def test_the_counts_are_those_of_a_whole_run():
    results = Path(os.environ.get("RESULTS", PROJECT / "results"))
    if not (results / "report.html").exists() or read_yaml(results / "config.yaml")["scale"] != "paper":
        pytest.skip("no whole run at the scale of the sources is at hand; name one with RESULTS=FOLDER")
    assert make.verdicts(results) == TOLD
