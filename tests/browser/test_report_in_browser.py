"""The report and the engine's own report, opened from the disk in a real browser that has no network."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import chromium
import pytest

from dpsampling import config, parameters
from dpsampling.project import experiments

pytestmark = pytest.mark.browser

PROJECT = Path(__file__).parents[2]
MADE = ("fig5_3", "fig5_5")  # one of exact formulas, one of simulated averages with releases in the ledger
WIDTHS = (1280, 400)


def dpsampling(*arguments):
    run = subprocess.run(
        [sys.executable, "-m", "dpsampling", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The report of a quick run of two experiments, made as the workflow makes it."""
    results = tmp_path_factory.mktemp("run") / "results"
    for name in MADE:
        settings = parameters.settings(config.resolve(experiments()[name], {}, scale="quick"))
        table = results / "tables" / f"{name}.csv"
        dpsampling("table", name, *(f"--set={option}" for option in settings), "--seed=1", "--out", table)
        dpsampling(
            "figure", name, "--table", table, *(f"--out={results}/figures/{name}.{kind}" for kind in ("pdf", "png"))
        )
        parts = {kind: results / kind / f"{name}.csv" for kind in ("errata", "ledger")}
        options = [f"--{kind}={path}" for kind, path in parts.items()]
        dpsampling("claims", name, "--table", table, "--out", results / "claims" / f"{name}.csv", *options)
    for kind in ("claims", "errata", "ledger"):
        dpsampling("gather", *(results / kind / f"{name}.csv" for name in MADE), "--out", results / f"{kind}.csv")
    overlay = results / "overlay.yaml"
    overlay.write_text(f"run: [{', '.join(MADE)}]\n", encoding="utf-8")
    dpsampling("errata", "--table", results / "errata.csv", "--out", results / "errata.md")
    dpsampling("config", "--config", overlay, "--scale", "quick", "--out", results / "config.yaml")
    dpsampling("report", "--results", results, "--out", results / "report.html")
    dpsampling("manifest", *MADE, "--results", results, "--out", results / "manifest.json")
    return results / "report.html"


@pytest.fixture(scope="module")
def engine_page(tmp_path_factory):
    """The engine's report of a quick figure, from a copy of the workflow."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("config", "workflow", "data/published"):
        shutil.copytree(PROJECT / name, copy / name)
    shutil.copy(PROJECT / "Snakefile", copy)
    (copy / "quick.yaml").write_text("scale: quick\n", encoding="utf-8")
    command = [sys.executable, "workflow/run.py", "fig5_3", "--cores", "1", "--configfile", "quick.yaml"]
    for more in ([], ["--report", "engine.html"]):
        run = subprocess.run(
            [*command, *more], cwd=copy, env=os.environ, capture_output=True, text=True, check=False, timeout=300
        )
        assert run.returncode == 0, run.stdout + run.stderr
    return copy / "engine.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    reason = chromium.why_not()
    if reason:
        pytest.skip(reason)
    with chromium.browser(tmp_path_factory.mktemp("profile")) as session:
        yield session


def check_quiet(browser, loads=True):
    """No error in the console, and nothing that was asked of a network or failed to load."""
    assert [entry["message"] for entry in browser.log("browser") if entry["level"] == "SEVERE"] == []
    events = browser.network()
    asked = [told["request"]["url"] for method, told in events if method == "Network.requestWillBeSent"]
    assert asked or not loads, "the log of requests is empty; it would show no failure either"
    assert [url[:80] for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert [told for method, told in events if method == "Network.loadingFailed"] == []


def test_a_failed_request_would_be_seen(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<!DOCTYPE html><title>x</title><img src="http://example.org/x.png"><img src="no.png">', "utf-8")
    browser.open(page)
    assert [entry["level"] for entry in browser.log("browser")] == ["SEVERE", "SEVERE"]
    events = browser.network()
    assert sum(method == "Network.loadingFailed" for method, _ in events) >= 2  # some versions tell one twice
    assert any("example.org" in told["request"]["url"] for method, told in events if "WillBeSent" in method)


@pytest.mark.parametrize("width", WIDTHS)
def test_it_opens_without_a_network(browser, page, width):
    browser.open(page, width)
    check_quiet(browser)
    assert "hold up" in browser.run("return document.title")


def test_every_figure_is_visible(browser, page):
    browser.open(page)
    images = browser.run("return [...document.images].map(i => [i.naturalWidth, i.width, i.height, i.alt.length])")
    assert len(images) == len(MADE)
    for natural, width, height, words in images:
        assert natural > 600
        assert width > 600
        assert height > 200
        assert words > 20


def test_anchors_lead_somewhere(browser, page):
    browser.open(page)
    lost = browser.run(
        """return [...document.links].map(a => new URL(a.href)).filter(u => u.pathname === location.pathname)
           .map(u => decodeURIComponent(u.hash.slice(1))).filter(id => !document.getElementById(id))"""
    )
    assert lost == []
    names = browser.run("return [...document.links].map(a => a.getAttribute('href')).filter(h => !h.startsWith('#'))")
    assert len(names) >= 3 * len(MADE)
    assert [name for name in names if not (page.parent / name).is_file()] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_does_not_scroll_sideways(browser, page, width):
    browser.open(page, width)
    browser.run("for (const d of document.querySelectorAll('details')) d.open = true")
    assert browser.run("return document.documentElement.clientWidth") in range(width - 20, width + 1)
    wide = browser.run(
        """const edge = document.documentElement.clientWidth, box = '.scroll, pre';
           const boxed = e => e.closest(box) && !e.matches(box);
           return [...document.body.querySelectorAll('*:not(.skip)')].filter(e => !boxed(e))
             .filter(e => e.getBoundingClientRect().right > edge + 1).map(e => e.tagName + '#' + e.id)"""
    )
    assert wide == []
    assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_choosing_a_verdict_leaves_its_claims(browser, page):
    browser.open(page)
    shown = (
        "return [...document.querySelectorAll('#all-claims .claim')].filter(r => r.offsetHeight).map(r => r.className)"
    )
    everything = browser.run(shown)
    browser.run("document.querySelector('#only-misprint').click()")
    misprints = browser.run(shown)
    assert 0 < len(misprints) < len(everything)
    assert set(misprints) == {"claim misprint"}
    assert len(misprints) == sum(name == "claim misprint" for name in everything)


def test_figures_keep_a_white_ground_in_the_dark(browser, page):
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    try:
        browser.open(page)
        ground = "return getComputedStyle(document.querySelector('%s')).backgroundColor"
        assert browser.run(ground % "img") == "rgb(255, 255, 255)"
        assert browser.run(ground % "body") != "rgb(255, 255, 255)"
    finally:
        browser.devtools("Emulation.setEmulatedMedia", features=[])


def test_the_engines_report_opens_without_a_network(browser, engine_page):
    browser.open(engine_page)
    check_quiet(browser)
    assert "Every figure and table of the thesis" in browser.run("return document.body.innerText")
    browser.run("[...document.links].find(a => a.innerText.trim() === 'Results').click()")
    browser.wait("return !!document.querySelector('a[iconname=eye]')")
    browser.run("document.querySelector('a[iconname=eye]').click()")
    browser.wait("return [...document.images].some(i => i.src.startsWith('data:image/png') && i.naturalWidth > 600)")
    check_quiet(browser, loads=False)
