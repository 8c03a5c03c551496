"""The report: what is on the page, on a results tree small enough to write down here."""

import csv
import io
import json
import re
import shlex
import shutil
import struct
import zlib
from html.parser import HTMLParser
from itertools import pairwise
from urllib.parse import unquote

import pytest
from jinja2 import UndefinedError
from PIL import Image, PngImagePlugin

from conftest import PROJECT
from dpsampling.errors import InputError
from dpsampling.files import CAPTION
from reproduction import claims, report, statements
from reproduction.claims import COLUMNS, ERRATA_COLUMNS, EVIDENCE, VERDICTS
from reproduction.config import load
from reproduction.project import experiment
from reproduction.report import command_lines, failing_table, first_screen, pictures, run_tables, sources, verdicts
from reproduction.report.tree import PERTURBED_COLUMNS, ROBUSTNESS_COLUMNS
from reproduction.stages import falsifiability

HOSTILE = """<script>alert("1")</script> & 'two'"""
FULL = {  # an experiment of this project, and one that it does not know
    "fig5_3": experiment("fig5_3").parameters,
    "stranger": {"n": 5, "label": HOSTILE},
}
KNOWN = "fig5_3"
RESTS = ("exact", "source", "")
TYPO = ("fig5_3.typo", "fig5_3", "thesis eq. 5.1", "σ² = λΔ²/ε")
CLAIMS = [
    ("fig5_3.holds", "fig5_3", "thesis Figure 5.3", "the curve falls", "≤ 4", "2.5", "0", "reproduced", *RESTS),
    (*TYPO, "error 0", "error 0.28 as printed", "0.0001", "misprint", *RESTS),
    ("fig5_3.wrong", "fig5_3", "thesis eq. 5.2", HOSTILE, "1", "2", "0.1", "refuted", "exact", "ours", "over-stated"),
    ("stranger.lost", "stranger", HOSTILE, "nobody knows", "", f"not measured: {HOSTILE}", "", "untestable", *RESTS),
]
ERRATA = [(*TYPO, HOSTILE, "0.28", "6e-05", "0.0001", "misprint", *RESTS)]
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
        (results / "tables" / f"{name}.provenance.json").write_text(json.dumps(provenance(name)), encoding="utf-8")
    jobs = results / "benchmarks"
    write_job(jobs / "table" / "fig5_3.jsonl", 30.04, 144.4, wildcards={"id": "fig5_3"})
    write_job(jobs / "show" / "fig5_3.jsonl", 0.4, 999.0)  # too short for its memory to mean anything
    write_job(jobs / "table" / "stranger.jsonl", 7.0, "NA")
    write_job(jobs / "audit.jsonl", 1.5, "NA")
    write_job(jobs / "report.jsonl", 500.0, 5000.0)
    return results


def change_config(results, **changes):
    path = results / "config.yaml"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


# -- the page as a document -----------------------------------------------------------------------------------------


def lost(tree, page):
    """The links that lead nowhere: within the page, beside it, or in the clone around it."""

    def leads(href):
        if href.startswith("#"):
            return href[1:] in page.ids
        if href.startswith("../"):
            return (PROJECT / href.replace("../", "")).exists()
        return href.startswith("https://") or (tree / href).is_file()

    return [href for href in map(unquote, page.all("a", "href")) if not leads(href)]


def test_it_is_one_document_that_loads_nothing(tree):
    text = report.page(tree)
    page = Page(text)
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert {"script", "link", "iframe", "object", "base"}.isdisjoint(tag for tag, _ in page.tags)
    sources_of = [value for _, attributes in page.tags for key, value in attributes.items() if key == "src"]
    assert all(source.startswith("data:image/webp;base64,") for source in sources_of)
    away = {href for href in page.all("a", "href") if "://" in href}
    assert away <= {source.href for source in sources.SOURCES}  # links to the sources, which nothing follows by itself
    for href in away:
        text = text.replace(f'href="{href}"', "")
    assert not re.search(r"https?:|url\(|@import|javascript:", text)
    assert len(page.all("meta", "charset")) == 1
    assert "viewport" in page.all("meta", "name")


def test_links_lead_somewhere(tree):
    page = Page(report.page(tree))
    assert len(set(page.ids)) == len(page.ids)
    assert lost(tree, page) == []
    assert "../config/experiments/fig5_3.yaml" in page.all("a", "href")


def test_headings_are_in_order(tree):
    levels = [int(tag[1]) for tag, _ in Page(report.page(tree)).tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_images_have_words_and_their_size(tree):
    images = [attributes for tag, attributes in Page(report.page(tree)).tags if tag == "img"]
    assert len(images) == 2
    for image in images:
        assert len(image["alt"]) > 20
        assert (image["width"], image["height"]) == ("3", "2")


def test_tables_have_captions_and_scopes(tree):
    page = Page(report.page(tree))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("caption") == tags.count("table") > 4
    assert len(page.all("th", "scope")) == tags.count("th")


def test_data_is_escaped(tree):
    before = Page(report.page(tree)).text.count(HOSTILE)
    assert before >= 8  # statement, source, measured, correction, ledger, parameter, machine, …
    (tree / "figures" / "fig5_3.png").write_bytes(drawn(9, 9, HOSTILE))
    text = report.page(tree)
    assert Page(text).text.count(HOSTILE) > before  # and now in a caption
    assert "<script" not in text


def test_a_name_that_a_template_does_not_know_is_an_error():
    with pytest.raises(UndefinedError, match="has no attribute"):
        report.render(object())


def test_same_results_same_bytes_and_no_path_of_this_machine(tree, tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(tree, copy)
    assert report.page(tree) == report.page(copy)
    assert str(tmp_path) not in report.page(tree)


# -- its figures ----------------------------------------------------------------------------------------------------


def drawn(width, height, caption="", noise=False):
    """A PNG file with a caption."""
    image = Image.effect_noise((width, height), 90) if noise else Image.new("RGB", (width, height), "white")
    told = PngImagePlugin.PngInfo()
    if caption:
        told.add_text(CAPTION, caption)
    out = io.BytesIO()
    image.save(out, "PNG", pnginfo=told)
    return out.getvalue()


def test_a_figure_is_made_as_wide_as_it_is_read_and_keeps_its_caption(tmp_path):
    path = tmp_path / "f.png"
    path.write_bytes(drawn(1520, 1000, "KL against ε."))
    found = pictures.embedded(path)
    size = pictures.WIDTH, round(pictures.WIDTH * 1000 / 1520)
    assert (found.width, found.height, found.caption) == (*size, "KL against ε.")
    assert found == pictures.embedded(path)
    path.write_bytes(drawn(200, 100))
    assert pictures.embedded(path).width == 200  # never larger than it is


def test_a_figure_of_many_bytes_is_made_coarser(tmp_path, monkeypatch):
    path = tmp_path / "f.png"
    path.write_bytes(drawn(760, 400, noise=True))
    coarse = len(pictures.embedded(path).uri)
    monkeypatch.setattr(pictures, "ENOUGH", 10**9)
    assert coarse < 0.9 * len(pictures.embedded(path).uri)


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n", png()[:45], b"GIF89a"])
def test_what_is_no_png_is_not_shown(tmp_path, content):
    path = tmp_path / "f.png"
    path.write_bytes(content)
    assert pictures.embedded(path) is None
    assert pictures.embedded(tmp_path / "nowhere.png") is None


def test_figures_stand_in_the_order_of_the_sources(tree):
    wanted = ["rob_kl", "fig6_1", "supp1_1", "fig5_3", "rev_tails", "glm_error", "fig4_1", "fig5_2"]
    change_config(tree, experiments={name: experiment(name).parameters for name in wanted})
    shown = [e.id for group in report.gather(report.read(tree)).groups for e in group.experiments]
    ordered = ["fig4_1", "fig5_2", "fig5_3", "fig6_1", "glm_error", "supp1_1", "rev_tails", "rob_kl", "stranger"]
    assert shown == ordered


def test_the_sources_are_those_of_the_inventory():
    assert {source.name for source in sources.SOURCES} == set(statements.SOURCES)
    assert all(source.title for source in sources.SOURCES)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("thesis Figure 4.1; UAI 2016 Figure 1", "thesis"),
        ("UAI 2016 supplement Figure 1", "UAI 2016"),
        ("ours, after NIPS 2017 Figure 3", "NIPS 2017"),
        ("ours", ""),
        ("", ""),
    ],
)
def test_a_place_names_its_source(place, name):
    assert sources.source_of(place).prefix == name


# -- what is on it --------------------------------------------------------------------------------------------------


def test_every_claim_is_there_once(tree):
    page = Page(report.page(tree))
    for claim in CLAIMS:
        assert page.ids.count(f"claim-{claim[0]}") == 1
        assert [words for words in claim if words not in page.text and words != "source"] == []
    for name in VERDICTS:
        assert f"{verdicts.MEANING[name][0]} {name}" in page.text


def test_problems_come_first(tree):
    shown = report.gather(report.read(tree)).groups[0].experiments[0]
    assert [claim.id for claim in shown.claims] == ["fig5_3.wrong", "fig5_3.typo", "fig5_3.holds"]
    assert set(verdicts.ORDER) == set(VERDICTS)
    assert set(verdicts.MEANING) == {*VERDICTS, verdicts.PRIVACY}
    assert set(verdicts.RESTS) == set(EVIDENCE)


def test_counts_lead_to_filters_that_the_style_knows(tree):
    text = report.page(tree)
    page = Page(text)
    for count in report.gather(report.read(tree)).filters:
        assert f"#{count.target}" in page.all("a", "href")
        assert count.target in page.ids
        assert f"#claims:has(#{count.target}:target) .claim:not(.{count.css})" in text
    marks = {name for classes in page.all("li", "class") for name in classes.split()}
    assert {"reproduced", "refuted", "misprint", "untestable", "rests-exact", "privacy-over-stated", "ours"} <= marks


def test_the_first_screen_is_computed_from_the_claims(tree):
    page = Page(report.page(tree))
    for sentence in (
        "1 of 3 claims of the sources hold as stated : thesis 1 of 2, other papers 0 of 1; of",
        "1 of ours, or of our reading where words allow several , 0 hold.",
        "2 claims fail, 1 as the sources state them and 1 of ours or our reading: 1 refuted by the numbers "
        "(what would be right is not known) , 1 misprints that nothing is built on ; most of the sources' own in "
        "thesis 1.",
        "1 promise more privacy than there is , an ε or δ that is too small, 0 of these as the sources state it; first",
        "2 by exact computation, which leaves no doubt; for 1 of the 2 a corrected form was found and holds",
        "1 cannot be tested (most of them, 1, in stranger:",
        "4 exact computation ; real event logs: none here.",
    ):
        assert sentence in page.text, page.text[:3000]


def test_the_first_screen_changes_with_a_verdict(tree):
    rows = [list(claim) for claim in CLAIMS]
    rows[0][COLUMNS.index("verdict")], rows[2][COLUMNS.index("privacy")] = "wrong", ""
    write_csv(tree / "claims.csv", COLUMNS, rows)
    text = Page(report.page(tree)).text
    assert "0 of 3 claims of the sources hold as stated" in text
    assert "3 claims fail, 2 as the sources state them and 1 of ours or our reading: 1 wrong" in text
    assert "No failing claim promises more privacy than there is; the gravest: “the curve falls”" in text


def test_it_says_on_which_data(tree):
    inputs = {"iraq": {"title": "Iraq", "origin": "simulated"}, "afghanistan": {"title": "Kabul", "origin": "file"}}
    inputs |= {name: {"title": name, "origin": "published"} for name in ("Herat", "Herat, by column")}
    told = provenance(KNOWN) | {"about": {"inputs": inputs}, "parameters": {"datasets": ["adult"], "dataset": "toy"}}
    (tree / "tables" / "fig5_3.provenance.json").write_text(json.dumps(told), encoding="utf-8")
    rows = [list(claim) for claim in CLAIMS]
    rows[0][COLUMNS.index("evidence")], rows[1][COLUMNS.index("evidence")] = "simulated log", "real data"
    write_csv(tree / "claims.csv", COLUMNS, rows)
    text = Page(report.page(tree)).text
    assert "1 real data (adult, toy)" in text
    assert "1 simulated event logs (Iraq)" in text
    assert "; real event logs: Herat (published counts, no rows), Kabul (file)." in text
    assert "Data adult, toy, Herat (published), Herat, by column (published), Iraq (simulated), Kabul (file)." in text


def test_no_claims_make_no_findings(tree):
    write_csv(tree / "claims.csv", COLUMNS, [])
    assert "these results hold no claim." in Page(report.page(tree)).text


def test_a_quoted_statement_ends_with_a_word():
    assert first_screen.shortened("a short one") == "a short one"
    long = first_screen.shortened("word " * 60)
    assert long.endswith("word …")
    assert len(long) <= first_screen.LONG + 2


def test_errata_stand_by_gravity(tree):
    said = ("fig5_3", "thesis eq. 5.9", "said", "right", "1", "0", "0")
    rows = [("b", *said, "misprint", *RESTS), ("c", *said, "refuted", *RESTS), ("d", *said, "wrong", *RESTS)]
    rows.append(("a", *said, "misprint", "exact", "source", "over-stated"))
    rows.insert(0, ("e", "x", "Robust 2014 Lemma 1", *said[2:], "wrong", *RESTS))  # a later source, of the same gravity
    write_csv(tree / "errata.csv", ERRATA_COLUMNS, rows)
    shown = report.gather(report.read(tree)).errata
    assert [e.id for gravity in shown for e in gravity.errata] == ["a", "d", "e", "c", "b"]
    assert shown[0].title.startswith("privacy over-stated")
    assert set(claims.FAILING) >= {e.verdict.name for gravity in shown for e in gravity.errata}


def test_every_statement_of_the_sources_is_there_in_their_order(tree):
    page = Page(report.page(tree))
    order = list(statements.statements())
    documents = report.gather(report.read(tree)).documents
    assert [document.title for document in documents] == [source.title for source in sources.SOURCES]
    shown = [[one.id for one in chapter.statements] for document in documents for chapter in document.chapters]
    assert all(chapter == sorted(chapter, key=order.index) for chapter in shown)
    assert sorted(name for chapter in shown for name in chapter) == sorted(order)
    assert all(page.ids.count(f"statement-{name}") == 1 for name in order)


def test_a_statement_bears_the_gravest_verdict_of_its_claims(tree):
    decided = next(one for one in statements.statements().values() if len(one.claims) > 1)
    verdict = dict(zip(decided.claims, ("reproduced", "refuted"), strict=False))
    rows = [(name, KNOWN, "x", "s", "1", "1", "0", told, *RESTS) for name, told in verdict.items()]
    write_csv(tree / "claims.csv", COLUMNS, rows)
    chapters = [chapter for document in report.gather(report.read(tree)).documents for chapter in document.chapters]
    shown = [one for chapter in chapters for one in chapter.statements if one.id == decided.id]
    assert [one.verdict.name for one in shown] == ["refuted"]
    assert [verdict[link.text] for link in shown[0].claims] == ["refuted", "reproduced"]


def test_every_figure_has_its_command(tree):
    text = Page(report.page(tree)).text
    assert re.search(r"make figure ID=fig5_3 (?!CONFIG)", text)
    assert "make figure ID=stranger CONFIG=results/config.yaml" in text  # the project has other settings for it


def test_another_seed_is_named_in_the_command(tree):
    change_config(tree, seed=7)
    assert "make figure ID=fig5_3 CONFIG=results/config.yaml" in Page(report.page(tree)).text


def test_verdicts_are_counted_by_chapter(tree):
    text = Page(report.page(tree)).text
    assert "4 claims ! 1 privacy over-stated ✗ 1 refuted ≠ 1 misprint ? 1 untestable ✓ 1 reproduced" in text
    fifth = r"Thesis, Chapter 5: [\w ]+ ! 1 privacy over-stated ✗ 1 refuted ≠ 1 misprint ✓ 1 reproduced fig5_3"
    assert re.search(fifth, text)
    assert "Ours and others ? 1 untestable stranger" in text


def test_only_a_quick_run_is_labelled_so(tree):
    assert "Reduced scale" not in report.page(tree)
    change_config(tree, scale="quick")
    page = Page(report.page(tree))
    assert "Reduced scale" in page.text
    assert "It cannot settle claims about simulated averages" in page.text
    assert "make figure ID=fig5_3 CONFIG=results/quick/config.yaml" in page.text
    assert "../../config/experiments/fig5_3.yaml" in page.all("a", "href")  # it stands one folder deeper
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
    assert [job.experiment for job in report.read(tree).jobs] == ["", "fig5_3", "fig5_3", "stranger"]
    text = Page(report.page(tree)).text
    assert "It took 30.4 s on one core, with 144 MB at the peak." in text
    assert "It took 7.0 s on one core." in text
    # All seconds, each job once; the page's own making is not among them.
    assert "stranger 7.0 – – – 7.0 – (audit) – – – 1.5 1.5 – all, each job once 37.0 0.4 – 1.5 38.9 144" in text
    assert "999" not in text


def test_shared_fits_and_sweeps_are_in_the_cost_of_each_and_once_in_the_total(tree):
    names = ("glm_error", "glm_nll", "fig4_6", "states_used")
    for name in names:
        told = provenance(KNOWN) | {"experiment": name, "parameters": experiment(name).parameters}
        (tree / "tables" / f"{name}.provenance.json").write_text(json.dumps(told), encoding="utf-8")
    change_config(tree, experiments={name: experiment(name).parameters for name in names})
    jobs, rows = tree / "benchmarks", f"{experiment('fig4_6').parameters['rows']:g}"
    shutil.rmtree(jobs)
    for name in names:
        write_job(jobs / "table" / f"{name}.jsonl", 1.0, "NA", wildcards={"id": name})
    of_log = {"log": "iraq", "rows": rows}
    write_job(jobs / "counts" / f"iraq-{rows}.jsonl", 10.0, "NA", wildcards=of_log)
    fit = {**of_log, "id": "fig4_6"}
    write_job(jobs / "fits" / "fig4_6" / f"iraq-{rows}" / "1.0.jsonl", 100.0, "NA", wildcards=fit)
    write_job(jobs / "designs" / "adult.jsonl", 5.0, "NA", wildcards={"dataset": "adult"})
    sweep = {"dataset": "adult", "id": "glm_error"}
    write_job(jobs / "sweeps" / "glm_error" / "adult.jsonl", 50.0, "NA", wildcards=sweep)
    run = report.read(tree)
    for e in run.experiments:
        if e.id in names:
            alone = sum(job.seconds for job in (*report.costs.own_jobs(run, e), *report.costs.shared_jobs(run, e)))
            assert alone == {"glm_error": 56.0, "glm_nll": 56.0, "fig4_6": 111.0, "states_used": 11.0}[e.id]
    assert {e.id for e in run.experiments} >= set(names)
    assert sum(job.seconds for job in run.jobs) == 169.0
    assert "169.0" in Page(report.page(tree)).text


def test_what_is_measured_of_private_rows_is_counted_in_a_clone(tree):
    clone = tree.parent
    assert (clone / "results") == tree
    before = len(report.read(tree).jobs)
    write_job(clone / "private/benchmarks/counts/iraq-1.jsonl", 9.0, "NA", wildcards={"log": "iraq", "rows": "1"})
    assert [(job.seconds, job.stage) for job in report.read(tree).jobs[before:]] == [(9.0, "counts")]


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
    rows = [("fig5_3", f"mechanism {i}", "1", "2") for i in range(run_tables.FEW + 3)]
    write_csv(tree / "ledger.csv", ("experiment", "mechanism", "epsilon", "horizon"), rows)
    text = Page(report.page(tree)).text
    assert f"The first {run_tables.FEW} of {run_tables.FEW + 3} lines" in text
    assert f"mechanism {run_tables.FEW - 1}" in text
    assert f"mechanism {run_tables.FEW} " not in text
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
    assert lost(tree, page) == []


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
    write_job(tree / "benchmarks" / "table" / "odd.jsonl", 7.0, "NA", wildcards={"id": named})
    assert report.page(tree) == whole


def test_claims_must_be_there(tree):
    (tree / "claims.csv").unlink()
    with pytest.raises(InputError, match=r"claims\.csv does not exist; make it with 'make reproduce' or 'make quick'"):
        report.page(tree)


def test_claims_must_be_claims(tree):
    (tree / "claims.csv").write_text("id,verdict\na,reproduced\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"has no column 'experiment'; it needs id, .*\.$"):
        report.page(tree)


def test_whether_claims_can_fail_is_told(tree):
    def told():
        return Page(report.page(tree)).text

    assert "a little false" not in told()
    rows = [
        ("fig5_3.holds", "fig5_3", "reproduced", "kl scaled by 2", "kl scaled by 1000", ""),
        ("fig5_3.typo", "fig5_3", "misprint", "kl scaled by 2", "nothing", HOSTILE),
    ]
    columns = PERTURBED_COLUMNS
    write_csv(tree / "perturbed.csv", columns, rows[:1])
    assert "of 1 claims 1 got another verdict by some such change, and none by none" in told()
    write_csv(tree / "perturbed.csv", columns, rows)
    assert "of 2 claims 1 got another verdict by some such change, and 1 by none" in told()
    assert HOSTILE in told()


def test_the_columns_of_the_page_are_those_that_are_written():
    assert PERTURBED_COLUMNS == falsifiability.COLUMNS
    assert failing_table.NOTHING == falsifiability.NOTHING
