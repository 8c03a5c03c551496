"""The report and the engine's own report, opened from the disk in a real browser that has no network."""

import base64
import io
import os
import shutil
import sys
from pathlib import Path

import chromium
import pypdf
import pytest

from conftest import captured
from dpsampling.cli import parsing
from reproduction import collect, config
from reproduction.project import experiments

pytestmark = pytest.mark.browser

PROJECT = Path(__file__).parents[2]
MADE = ("fig5_3", "fig5_5")  # one of exact formulas, one of simulated averages with releases in the ledger
WIDTHS = (1280, 390)
OWN = ("chrome:", "chrome-untrusted:", "devtools:")  # what the browser asks of itself, as for its first page


def dpsampling(*arguments):
    run = captured([sys.executable, "-m", "dpsampling", *map(str, arguments)], cwd=PROJECT)
    assert run.returncode == 0, run.stderr


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The report of a quick run of two experiments, made as the workflow makes it."""
    results = tmp_path_factory.mktemp("run") / "results"
    for name in MADE:
        settings = parsing.settings(config.resolve(experiments()[name], {}, scale="quick"))
        table = results / "tables" / f"{name}.csv"
        dpsampling("table", name, *(f"--set={option}" for option in settings), "--seed=1", "--out", table)
        figures = [f"--figure={results}/figures/{name}.{kind}" for kind in ("pdf", "png")]
        parts = [f"--{kind}={results / kind / name}.csv" for kind in ("claims", "errata", "ledger")]
        dpsampling("show", name, "--table", table, *figures, *parts)
    for kind in collect.PARTS:
        collect.gather([results / kind / f"{name}.csv" for name in MADE], results / f"{kind}.csv")
    collect.errata_page(results / "errata.csv", results / "errata.md")
    collect.effective_config(config.effective({**config.load(), "run": [*MADE]}, "quick"), results / "config.yaml")
    dpsampling("report", "--results", results, "--out", results / "report.html")
    collect.manifest(results, MADE, results / "manifest.json")
    return results / "report.html"


@pytest.fixture(scope="module")
def engine_page(tmp_path_factory):
    """The engine's report of a quick figure, from a copy of the workflow."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("config", "workflow", "src", "data/published", "data/inventory"):
        shutil.copytree(PROJECT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "Snakefile", copy)
    (copy / "quick.yaml").write_text("scale: quick\n", encoding="utf-8")
    command = [sys.executable, "workflow/run.py", "--cores", "1", "--configfile", "quick.yaml"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PATH": path}  # with the library beside it alone
    for more in ([], ["--report", "engine.html"]):
        run = captured([*command, *more, "--", "fig5_3"], cwd=copy, env=environment, seconds=300)
        assert run.returncode == 0, run.stdout + run.stderr
    return copy / "engine.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    reason = chromium.why_not()
    if reason:
        pytest.skip(reason)
    with chromium.browser(tmp_path_factory.mktemp("profile")) as session:
        yield session


def failed(events):
    """The addresses of what could not be loaded, each once: some versions tell one twice, or of others besides."""
    asked = {told["requestId"]: told["request"]["url"] for method, told in events if method.endswith("WillBeSent")}
    ids = {told["requestId"] for method, told in events if method == "Network.loadingFailed"}
    return {url for name in ids if not (url := asked.get(name, "an unknown address")).startswith(OWN)}


def check_quiet(browser, loads=True):
    """No error in the console, and nothing that was asked of a network or failed to load."""
    assert [entry["message"] for entry in browser.log("browser") if entry["level"] == "SEVERE"] == []
    events = browser.network()
    asked = [told["request"]["url"] for method, told in events if method == "Network.requestWillBeSent"]
    assert asked or not loads, "the log of requests is empty; it would show no failure either"
    assert [url[:80] for url in asked if not url.startswith(("file:", "data:", "blob:", *OWN))] == []
    assert failed(events) == set()


def test_a_failed_request_would_be_seen(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<!DOCTYPE html><title>x</title><img src="http://example.org/x.png"><img src="no.png">', "utf-8")
    browser.open(page)
    told = [entry["message"] for entry in browser.log("browser") if entry["level"] == "SEVERE"]
    wanted = {"http://example.org/x.png", (tmp_path / "no.png").as_uri()}
    assert all(any(url in message for message in told) for url in wanted), told
    assert failed(browser.network()) >= wanted


@pytest.mark.parametrize("width", WIDTHS)
def test_it_opens_without_a_network(browser, page, width):
    browser.open(page, width)
    check_quiet(browser)
    assert "hold up" in browser.run("return document.title")


def test_the_first_screen_answers(browser, page):
    browser.open(page)
    browser.resize(1280, 800)
    below = "return [...document.querySelectorAll('.findings dd, .counts')].map(e => e.getBoundingClientRect().bottom)"
    bottoms = browser.run(below)
    assert len(bottoms) == 7  # six sentences and the counts
    assert max(bottoms) < 800
    assert browser.run("return document.querySelector('img').getBoundingClientRect().top") < 1000


def test_every_figure_opens_large_with_its_caption(browser, page):
    browser.open(page)
    images = browser.run("return [...document.images].map(i => [i.naturalWidth, i.width, i.height, i.alt.length])")
    assert len(images) == len(MADE)
    for natural, width, height, words in images:
        assert natural > 600
        assert 100 < width < 400
        assert 50 < height < 400
        assert words > 20
    for name in MADE:
        browser.run(f"document.querySelector('#figure-{name} .thumb').click()")
        opened = browser.run(
            f"const f = document.querySelector('#figure-{name}'); const i = f.querySelector('img');"
            "return [i.width, i.height, f.querySelector('.full').innerText, f.getBoundingClientRect().width]"
        )
        assert opened[0] > 600
        assert opened[1] > 200
        assert all(words in opened[2] for words in ("Across:", "Up:", "Parameters", "Claims rest on", "make figure"))
        assert opened[3] > 1200
        browser.run(f"document.querySelector('#figure-{name} .close a:last-child').click()")
        assert browser.run(f"return document.querySelector('#figure-{name} img').width") < 400


def test_anchors_lead_somewhere(browser, page):
    browser.open(page)
    lost = browser.run(
        """return [...document.links].map(a => new URL(a.href)).filter(u => u.pathname === location.pathname)
           .map(u => decodeURIComponent(u.hash.slice(1))).filter(id => !document.getElementById(id))"""
    )
    assert lost == []
    names = browser.run(
        "return [...document.links].map(a => a.getAttribute('href')).filter(h => !/^(#|https:|\\.\\.\\/)/.test(h))"
    )
    assert len(names) >= 3 * len(MADE)
    assert [name for name in names if not (page.parent / name).is_file()] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_does_not_scroll_sideways(browser, page, width):
    browser.open(page, width)
    browser.run("for (const d of document.querySelectorAll('details')) d.open = true")
    assert browser.run("return document.documentElement.clientWidth") in range(width - 20, width + 1)
    wide = browser.run(
        """const edge = document.documentElement.clientWidth, box = 'pre';
           const boxed = e => e.closest(box) && !e.matches(box);
           return [...document.body.querySelectorAll('*:not(.skip, .quiet)')].filter(e => !boxed(e))
             .filter(e => e.getBoundingClientRect().right > edge + 1).map(e => e.tagName + '#' + e.id)"""
    )
    assert wide == []
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")


SHOWN = """return [...document.querySelectorAll('.claim')]
    .filter(c => c.offsetHeight && c.checkVisibility({contentVisibilityAuto: true})).map(c => c.className)"""


@pytest.mark.parametrize("kind", ["misprint", "reproduced", "rests-exact"])
def test_a_count_leads_to_its_claims_alone(browser, page, kind):
    browser.open(page)
    browser.run("location.hash = ''")
    assert browser.run(SHOWN) == []  # all are folded away
    everything = browser.run("return [...document.querySelectorAll('.claim')].map(c => c.className.split(' '))")
    browser.run(f"document.querySelector('a[href=\"#only-{kind}\"]').click()")
    shown = browser.run(SHOWN)
    assert 0 < len(shown) < len(everything) or kind == "rests-exact"
    assert len(shown) == sum(kind in names for names in everything)
    assert all(kind in classes.split() for classes in shown)
    assert 0 <= browser.run("return document.querySelector('.choice').getBoundingClientRect().top") < 400


def test_a_link_to_a_claim_unfolds_it(browser, page):
    browser.open(page)
    browser.run("document.querySelector('#errata .errata a').click()")
    browser.wait("return !!document.querySelector('.claim:target')?.checkVisibility({contentVisibilityAuto: true})")


def test_everything_is_dark_on_light(browser, page):
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        browser.open(page)
        style = "return getComputedStyle(document.querySelector('%s')).%s"
        for what in ("img", "body"):
            assert browser.run(style % (what, "backgroundColor")) == "rgb(255, 255, 255)"
        assert browser.run(style % ("body", "color")) == "rgb(27, 31, 36)"
    finally:
        browser.devtools("Emulation.setEmulatedMedia", features=[])


def test_in_print_every_claim_and_figure_is_there(browser, page):
    browser.open(page)
    made = browser.devtools("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
    printed = pypdf.PdfReader(io.BytesIO(base64.b64decode(made["data"])))
    text = "".join("".join(sheet.extract_text().split()) for sheet in printed.pages)
    ids = browser.run("return [...document.querySelectorAll('.claim .origin code')].map(c => c.innerText)")
    assert [name for name in ids if name not in text] == []
    assert all(f"{name}" in text for name in MADE)
    assert len(printed.pages) < 40  # most of them the statements of the sources


def test_the_engines_report_opens_without_a_network(browser, engine_page):
    browser.open(engine_page)
    check_quiet(browser)
    browser.run("[...document.links].find(a => a.innerText.trim() === 'Results').click()")
    browser.wait("return !!document.querySelector('a[iconname=eye]')")
    browser.run("document.querySelector('a[iconname=eye]').click()")
    browser.wait("return [...document.images].some(i => i.src.startsWith('data:image/png') && i.naturalWidth > 600)")
    check_quiet(browser, loads=False)
