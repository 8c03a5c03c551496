"""The site of docs/, opened from the disk in a real browser that has no network."""

import os
import subprocess
import sys
from pathlib import Path

import chromium
import pytest

pytestmark = pytest.mark.browser

PROJECT = Path(__file__).parents[2]
PAGES = sorted(path.stem for path in (PROJECT / "docs").glob("*.md"))
OWN = ("chrome:", "chrome-untrusted:", "devtools:")  # what the browser asks of itself, as for its first page


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "RESULTS": str(out / "none"), "PYTHONPATH": str(PROJECT / "src")}
    command = [sys.executable, "-m", "sphinx", "-q", "-E", "-W", str(PROJECT / "docs"), str(out)]
    subprocess.run(command, env=environment, check=True)
    return out


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    reason = chromium.why_not()
    if reason:
        pytest.skip(reason)
    with chromium.browser(tmp_path_factory.mktemp("profile")) as session:
        yield session


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_fits_and_asks_for_nothing(browser, site, width):
    for page in PAGES:
        browser.open(site / f"{page}.html", width)
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), f"{page} is too wide"
        assert not [entry["message"] for entry in browser.log("browser")], page
        asked = [told["request"]["url"] for kind, told in browser.network() if kind == "Network.requestWillBeSent"]
        assert not [url for url in asked if not url.startswith(("file:", "data:", *OWN))], page


def test_formulas_are_drawn(browser, site):
    browser.open(site / "prior-rebalancing.html")
    heights = browser.run("return [...document.querySelectorAll('div.math math')].map(m => m.clientHeight)")
    assert heights
    assert min(heights) > 20, "a fraction is higher than a line"


def test_the_search_finds_without_a_server(browser, site):
    found = site / "search.html"
    browser.call("POST", "/url", {"url": f"{found.as_uri()}?q=Dobrushin"})
    browser.wait("return document.querySelectorAll('#search-results li').length")
    titles = browser.run("return [...document.querySelectorAll('#search-results li a')].map(a => a.textContent)")
    assert any("Amplification" in title or "Dobrushin" in title for title in titles)
    assert not browser.log("browser")
