"""The report: what is on the page, on a results tree small enough to write down here."""

import csv
import json
import re
import shlex
import shutil
import struct
import zlib
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from dpsampling import report
from dpsampling.claims import COLUMNS, ERRATA_COLUMNS, VERDICTS
from dpsampling.config import load
from dpsampling.errors import InputError
from dpsampling.project import experiment
from dpsampling.report import command_lines, run_tables
from dpsampling.report.tree import ROBUSTNESS_COLUMNS

HOSTILE = """<script>alert("1")</script> & 'two'"""
FULL = {  # an experiment of this project, and one that it does not know
    "fig5_3": experiment("fig5_3").parameters,
    "stranger": {"n": 5, "label": HOSTILE},
}
RESTS = ("exact", "source", "")
CLAIMS = [
    ("fig5_3.holds", "fig5_3", "thesis Figure 5.3", "the curve falls", "≤ 4", "2.5", "0", "reproduced", *RESTS),
    (
        *("fig5_3.typo", "fig5_3", "thesis eq. 5.1", "σ² = λΔ²/ε", "error 0", "error 0.28 as printed", "0.0001"),
        *("misprint", *RESTS),
    ),
    ("fig5_3.wrong", "fig5_3", "thesis eq. 5.2", HOSTILE, "1", "2", "0.1", "refuted", "exact", "ours", "over-stated"),
    ("stranger.lost", "stranger", HOSTILE, "nobody knows", "", f"not measured: {HOSTILE}", "", "untestable", *RESTS),
]
ERRATA = [
    (
        *("fig5_3.typo", "fig5_3", "thesis eq. 5.1", "σ² = λΔ²/ε", HOSTILE, "0.28", "6e-05", "0.0001"),
        *("misprint", *RESTS),
    )
]
LEDGER = [("fig5_3", HOSTILE, "0.19129022677688964", "12.958903477090441"), ("fig5_3", "gaussian", "inf", "")]


class Page(HTMLParser):
    """A page taken apart; a tag that is not closed where it should be fails at once."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], "tags left open"

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice"
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag, attribute):
        return [attributes[attribute] for name, attributes in self.tags if name == tag and attribute in attributes]

    @property
    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]


def png(width=3, height=2):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = zlib.compress(b"".join(b"\0" + b"\xff" * 3 * width for _ in range(height)))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def write_csv(path, columns, rows):
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([columns, *rows])


def write_job(path, seconds, memory, **more):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"s": seconds, "max_rss": memory, **more}) + "\n", encoding="utf-8")


def provenance(name):
    return {
        "experiment": name,
        "parameters": FULL[name],
        "seed": 20200401,
        "dpsampling": "0.1.0",
        "code": {"commit": "8e2a4a7fc7f8f6d4fa5710530e2cca891956b47d", "dirty": True},
        "python": "3.11.7",
        "packages": {"numpy": "2.4.6"},
        "machine": {"system": "Linux", "architecture": "x86_64", "cpu": f"Fast {HOSTILE}"},
        "seconds": 1.0,
    }


@pytest.fixture
def tree(tmp_path):
    results = tmp_path / "results"
    (results / "tables").mkdir(parents=True)
    (results / "figures").mkdir()
    write_csv(results / "claims.csv", COLUMNS, CLAIMS)
    write_csv(results / "errata.csv", ERRATA_COLUMNS, ERRATA)
    write_csv(results / "ledger.csv", ("experiment", "mechanism", "epsilon", "horizon"), LEDGER)
    config = {"seed": load()["seed"], "scale": "paper", "experiments": FULL}
    (results / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    (results / "manifest.json").write_text("{}", encoding="utf-8")
    for name in FULL:
        (results / "tables" / f"{name}.csv").write_text("x\n1\n", encoding="utf-8")
        (results / "figures" / f"{name}.png").write_bytes(png())
        (results / "figures" / f"{name}.pdf").write_bytes(b"%PDF-1.4")
        told = json.dumps(provenance(name))
        (results / "tables" / f"{name}.provenance.json").write_text(told, encoding="utf-8")
    jobs = results / "benchmarks"
    write_job(jobs / "table" / "fig5_3.jsonl", 30.04, 144.4, wildcards={"experiment": "fig5_3"})
    write_job(jobs / "figure" / "fig5_3.jsonl", 2.0, 120.0, wildcards={"experiment": "fig5_3"})
    write_job(jobs / "claims" / "fig5_3.jsonl", 0.4, 999.0)  # too short for its memory to mean anything
    write_job(jobs / "table" / "stranger.jsonl", 7.0, "NA")
    write_job(jobs / "gather" / "claims.jsonl", 1.5, "NA", wildcards={"kind": "claims"})
    write_job(jobs / "report_page.jsonl", 500.0, 5000.0)
    return results


def change_config(results, **changes):
    path = results / "config.yaml"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


# -- the page as a document -----------------------------------------------------------------------------------------


def test_it_is_one_document_that_loads_nothing(tree):
    text = report.page(tree)
    page = Page(text)
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert {"script", "link", "iframe", "object", "base"}.isdisjoint(tag for tag, _ in page.tags)
    assert all(
        source.startswith("data:image/png;base64,") for _, a in page.tags for k, source in a.items() if k == "src"
    )
    assert not re.search(r"https?:|url\(|@import|javascript:", text)
    assert len(page.all("meta", "charset")) == 1
    assert "viewport" in page.all("meta", "name")


def test_links_lead_somewhere(tree):
    page = Page(report.page(tree))
    assert len(set(page.ids)) == len(page.ids)
    for href in map(unquote, page.all("a", "href")):
        assert href[1:] in page.ids if href.startswith("#") else (tree / href).is_file(), href


def test_images_have_words_and_their_size(tree):
    page = Page(report.page(tree))
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(images) == 2
    for image in images:
        assert len(image["alt"]) > 20
        assert (image["width"], image["height"]) == ("3", "2")


def test_tables_have_captions_and_scopes(tree):
    page = Page(report.page(tree))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("caption") == tags.count("table") > 5
    assert len(page.all("th", "scope")) == tags.count("th")


def test_data_is_escaped(tree):
    text = report.page(tree)
    page = Page(text)
    assert "<script" not in text
    assert page.text.count(HOSTILE) >= 8  # statement (twice), source, measured, correction, ledger, parameter, machine


def test_same_results_same_bytes_and_no_path_of_this_machine(tree, tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(tree, copy)
    assert report.page(tree) == report.page(copy)
    assert str(tmp_path) not in report.page(tree)


# -- what is on it --------------------------------------------------------------------------------------------------


def test_every_claim_is_there(tree):
    page = Page(report.page(tree))
    for claim in CLAIMS:
        assert f"claim-{claim[0]}" in page.ids
        assert [words for words in claim if words not in page.text and words != "source"] == []
    for verdict, sign in zip(VERDICTS, "✓✗✗≠~≁?", strict=True):
        assert f"{sign} {verdict}" in page.text


def test_every_figure_has_its_command(tree):
    text = Page(report.page(tree)).text
    assert re.search(r"make figure ID=fig5_3 (?!CONFIG)", text)
    assert "make figure ID=stranger CONFIG=results/config.yaml" in text  # the project has other settings for it


def test_another_seed_is_named_in_the_command(tree):
    change_config(tree, seed=7)
    assert "make figure ID=fig5_3 CONFIG=results/config.yaml" in Page(report.page(tree)).text


def test_verdicts_are_counted_by_chapter(tree):
    text = Page(report.page(tree)).text
    assert "4 claims: 1 reproduced, 1 refuted, 0 wrong, 1 misprint, 0 indicated, 0 not indicated, 1 untestable." in text
    assert re.search(r"Chapter 5: [\w ]+ 1 1 0 1 0 0 0 3 Other experiments 0 0 0 0 0 0 1 1 All 1 1 0 1 0 0 1 4 ", text)


def test_only_a_quick_run_is_labelled_so(tree):
    assert "Reduced scale" not in report.page(tree)
    change_config(tree, scale="quick")
    page = Page(report.page(tree))
    assert "Reduced scale" in page.text
    assert "It cannot settle claims about simulated averages" in page.text
    assert "make figure ID=fig5_3 CONFIG=results/quick/config.yaml" in page.text
    assert "results/tables" not in page.text


def test_header_tells_where_it_comes_from(tree):
    text = Page(report.page(tree)).text
    for words in ("20200401", "commit 8e2a4a7fc7f8, with uncommitted changes", "Python 3.11.7", "numpy 2.4.6", "Fast"):
        assert words in text


def test_tables_of_several_commits_are_told_apart(tree):
    other = provenance("stranger") | {"code": {"commit": "f" * 40, "dirty": False}}
    (tree / "tables" / "stranger.provenance.json").write_text(json.dumps(other), encoding="utf-8")
    text = Page(report.page(tree)).text
    assert "with uncommitted changes (fig5_3); commit ffffffffffff, clean (stranger)" in text


def test_parameters_that_differ_stand_beside_the_papers(tree):
    assert "At paper scale" not in report.page(tree)
    told = provenance("fig5_3") | {"parameters": {**FULL["fig5_3"], "n": 7}}
    (tree / "tables" / "fig5_3.provenance.json").write_text(json.dumps(told), encoding="utf-8")
    assert re.search(r"At paper scale .* n 7 100 ", Page(report.page(tree)).text)


def test_cost_adds_up(tree):
    run = report.read(tree)
    assert [job.experiment for job in run.jobs] == ["fig5_3", "fig5_3", "", "fig5_3", "stranger"]
    text = Page(report.page(tree)).text
    assert "It took 32.4 s on one core, with 144 MB at the peak." in text
    assert "It took 7.0 s on one core." in text
    assert (
        "stranger 7.0 – – 7.0 – gather – – – 1.5 – all 37.0 2.0 0.4 40.9 144" in text
    )  # all seconds; the page's own making is not among them
    assert "999" not in text


def test_any_audit_is_shown(tree):
    assert "No audit.csv is among these results" in report.page(tree)
    write_csv(tree / "audit.csv", ("mechanism", "ε̂ & co", "epsilon_priced"), [("laplace", HOSTILE, "0.10000000000001")])
    page = Page(report.page(tree))
    assert "epsilon priced" in page.text
    assert "0.100001" not in page.text  # a measurement is rounded to the nearest, unlike a promise
    assert "ε̂ & co" in page.text
    assert "No audit.csv" not in page.text


def test_attempts_to_break_it_are_counted_by_kind_where_the_tests_left_them(tree):
    assert "Robustness" not in Page(report.page(tree)).text
    rows = [
        ("kill", "a table, at 0.1 s", "the same bytes", "as expected", "yes", "1.0", "Python 3.11.7"),
        ("kill", HOSTILE, "the same bytes", HOSTILE, "no", "1.0", "Python 3.11.7"),
        ("clock", "a year ahead", "nothing to be done", "not tried: no clock", "skipped", "0.0", "Python 3.11.7"),
    ]
    write_csv(tree / "robustness.csv", ROBUSTNESS_COLUMNS, rows)
    page = Page(report.page(tree))
    assert "tried 2 times" in page.text
    assert "1 ended as expected, 1 did not, and 1 more were not possible" in page.text
    assert "kill 2 1 1 0" in page.text
    assert "robustness" in page.ids


def test_what_is_not_made_is_said_with_its_reason(tree):
    assert "Not made" not in Page(report.page(tree)).text
    write_csv(tree / "not_made.csv", ("experiment", "dataset", "why"), [])
    assert "Not made" not in Page(report.page(tree)).text
    rows = [("fig5_4", "abalone", HOSTILE), ("unknown", "adult", "it is nowhere.")]
    write_csv(tree / "not_made.csv", ("experiment", "dataset", "why"), rows)
    page = Page(report.page(tree))
    assert "not-made" in page.ids
    assert "#not-made" in page.all("a", "href")
    assert f"abalone {HOSTILE} unknown" in page.text
    assert "adult it is nowhere." in page.text


def test_a_long_ledger_is_cut_and_says_so(tree):
    rows = [("fig5_3", f"mechanism {i}", "1", "2") for i in range(run_tables.MANY + 3)]
    write_csv(tree / "ledger.csv", ("experiment", "mechanism", "epsilon", "horizon"), rows)
    text = Page(report.page(tree)).text
    assert f"The first {run_tables.MANY} of {run_tables.MANY + 3} lines." in text
    assert f"mechanism {run_tables.MANY - 1}" in text
    assert f"mechanism {run_tables.MANY} " not in text
    assert "The draws themselves protect nothing: they are an evaluation with a public seed" in text


@pytest.mark.parametrize(
    ("cell", "up", "shown"),
    [
        ("0.19129022677688964", True, "0.191291"),  # never less than it is
        ("0.19129022677688964", False, "0.19129"),
        ("0.9999999999990905", True, "1"),
        ("3.0590232050182573e-07", True, "3.05903e-07"),
        ("0.05", True, "0.05"),
        ("inf", True, "inf"),
        ("10000 simulated data sets", True, "10000 simulated data sets"),
        ("", False, ""),
    ],
)
def test_long_numbers_are_shortened_outwards(cell, up, shown):
    assert run_tables.shortened(cell, up=up) == shown


def test_a_folded_command_is_the_same_command():
    words = ["dpsampling", "table", "x", *(f'--set=p{i}={{"from": {i}, "to": 20}}' for i in range(9)), "--seed=1"]
    text = command_lines.folded(words)
    assert max(map(len, text.splitlines())) < 95
    assert len(text.splitlines()) > 2
    assert shlex.split(text.replace("\\\n", "")) == words


# -- what is missing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("piece", "sentence"),
    [
        ("config.yaml", "config.yaml is missing or cannot be read, so the scale of this run is not known."),
        ("errata.csv", "errata.csv is missing or cannot be read, so the errata are not listed."),
        ("ledger.csv", "ledger.csv is missing or cannot be read, so the releases are not listed."),
        ("benchmarks", "benchmarks/ is missing or cannot be read, so seconds and memory are not told."),
        ("figures/fig5_3.png", "figures/fig5_3.png is missing or is no PNG image, so the figure is not shown."),
        ("tables/fig5_3.provenance.json", "so the origin of fig5_3 is not told."),
    ],
)
def test_a_missing_piece_is_said(tree, piece, sentence):
    assert sentence not in Page(report.page(tree)).text
    gone = tree / piece
    shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    page = Page(report.page(tree))
    assert sentence in page.text
    for href in map(unquote, page.all("a", "href")):
        assert href[1:] in page.ids if href.startswith("#") else (tree / href).is_file(), href


def test_claims_alone_make_a_page(tree):
    for path in tree.iterdir():
        if path.name != "claims.csv":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    text = Page(report.page(tree)).text
    assert all(row[0] in text for row in CLAIMS)
    assert "not told by these results" in text


@pytest.mark.parametrize("broken", ["config.yaml", "tables/fig5_3.provenance.json", "benchmarks/table/fig5_3.jsonl"])
def test_a_broken_side_file_does_not_hide_the_claims(tree, broken):
    (tree / broken).write_text("][ : \n", encoding="utf-8")
    text = Page(report.page(tree)).text
    assert all(row[0] in text for row in CLAIMS)


@pytest.mark.parametrize("named", [["fig5_3"], {"a": 1}, 5])
def test_a_job_whose_experiment_is_no_name_is_left_out(tree, named):
    whole = report.page(tree)
    write_job(tree / "benchmarks" / "table" / "odd.jsonl", 7.0, "NA", wildcards={"experiment": named})
    assert report.page(tree) == whole


def test_claims_must_be_there(tree):
    (tree / "claims.csv").unlink()
    with pytest.raises(
        InputError, match=r"claims\.csv does not exist; make it with 'make reproduce' or 'make quick'\.$"
    ):
        report.page(tree)


def test_claims_must_be_claims(tree):
    (tree / "claims.csv").write_text("id,verdict\na,reproduced\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"has no column 'experiment'; it needs id, .*\.$"):
        report.page(tree)
