"""The site of docs/ is built strictly, shows what a results tree holds, and notices what is broken."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from conftest import PROJECT
from reproduction.claims import COLUMNS, ERRATA_COLUMNS
from reproduction.statements import statements

DOCS = PROJECT / "docs"
STRICT = ["-q", "-E", "-W", "--keep-going"]


def build(docs: Path, site: Path, results: Path) -> subprocess.CompletedProcess[str]:
    """As `make docs` does."""
    environment = {**os.environ, "RESULTS": str(results), "PYTHONPATH": str(PROJECT / "src")}
    command = [sys.executable, "-m", "sphinx", *STRICT, str(docs), str(site)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Of a clone without results."""
    out = tmp_path_factory.mktemp("site")
    done = build(DOCS, out, out / "no results")
    assert done.returncode == 0, done.stderr
    return out


def test_every_page_is_built_and_led_to(site):
    pages = {path.stem for path in DOCS.glob("*.md")}
    assert len(pages) > 35
    front = (site / "index.html").read_text(encoding="utf-8")
    for page in pages:
        assert (site / f"{page}.html").is_file()
        assert f'href="{page}.html"' in front or page == "index", f"the navigation does not have {page}"


def test_the_recipe_of_make_is_this_build():
    recipe = (PROJECT / "Makefile").read_text(encoding="utf-8").partition("\ndocs: ")[2].partition("\n\n")[0]
    assert f"-m sphinx {' '.join(STRICT)} docs site" in recipe
    assert "/site/" in (PROJECT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_formulas_need_no_script(site):
    page = (site / "prior-rebalancing.html").read_text(encoding="utf-8")
    assert page.count("<math") > 20
    assert not re.search(r"<script[^>]*(mathjax|katex)", page, re.IGNORECASE)
    assert "$" not in re.sub(r"<pre>.*?</pre>|<script.*?</script>", "", page, flags=re.DOTALL)


def test_without_results_a_sentence_says_how_to_get_them(site):
    for page in ("gallery", "errata", "claims"):
        assert "No results were at hand" in (site / f"{page}.html").read_text(encoding="utf-8")


def test_every_statement_of_the_sources_is_on_its_page(site):
    page = (site / "statements.html").read_text(encoding="utf-8")
    assert all(f'<tr id="{one}">' in page for one in statements())


def test_the_search_needs_no_server(site):
    assert (site / "searchindex.js").read_text(encoding="utf-8").startswith("Search.setIndex(")
    assert "DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY" not in (site / "search.html").read_text(encoding="utf-8")
    assert "SHOW_SEARCH_SUMMARY: false" in (site / "_static/documentation_options.js").read_text(encoding="utf-8")


# -- small sites: of results, and of what is wrong -------------------------------------------------------------------


def small(folder: Path, front: str, **pages: str) -> Path:
    """A folder of documentation with these pages and the tools of the real one."""
    docs = folder / "docs"
    docs.mkdir()
    shutil.copy(DOCS / "conf.py", docs)
    shutil.copytree(DOCS / "_site", docs / "_site", ignore=shutil.ignore_patterns("__pycache__"))
    listed = "\n".join(pages)
    (docs / "index.md").write_text(f"# Front\n\n{front}\n\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8")
    for name, text in pages.items():
        (docs / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return docs


def results_tree(folder: Path) -> Path:
    """Two claims, one of which fails twice over, and one figure."""
    tree = folder / "theirs"
    (tree / "figures").mkdir(parents=True)
    matplotlib.image.imsave(tree / "figures/fig5_3.png", np.zeros((4, 6, 3)))
    told = ["thesis Figure 5.3", "a < b & so", "1", "2", "0", "reproduced", "exact", "source", ""]
    pd.DataFrame([["fig5_3.one", "fig5_3", *told]], columns=COLUMNS).to_csv(tree / "claims.csv", index=False)
    rows = [["slip", "misprint", ""], ["grave", "wrong", "over-stated"], ["false", "wrong", ""]]
    errata = [
        [f"fig5_3.{n}", "fig5_3", "thesis", f"says {n}", f"right of {n}", "1", "0", "0", v, "exact", "source", p]
        for n, v, p in rows
    ]
    pd.DataFrame(errata, columns=ERRATA_COLUMNS).to_csv(tree / "errata.csv", index=False)
    return tree


def test_a_results_tree_fills_gallery_errata_and_claims(tmp_path):
    pages = {name: f"<!-- written: {name} -->" for name in ("gallery", "errata")}
    docs = small(tmp_path, "[front](gallery.md)", **pages, claims="<!-- written: verdicts -->")
    done = build(docs, tmp_path / "site", results_tree(tmp_path))
    assert done.returncode == 0, done.stderr
    shown = {name: (tmp_path / f"site/{name}.html").read_text(encoding="utf-8") for name in ("gallery", "errata")}
    assert (tmp_path / "site/figures/fig5_3.png").is_file()
    assert 'id="fig5_3"' in shown["gallery"]
    assert "1 reproduced" in shown["gallery"]
    order = [shown["errata"].index(f"right of {name}") for name in ("grave", "false", "slip")]
    assert order == sorted(order), "the gravest first"
    assert "gallery.html#fig5_3" in shown["errata"]
    assert "<td>1</td>" in re.sub(r"<td[^>]*><p>(\d+)</p>", r"<td>\1", (tmp_path / "site/claims.html").read_text())


@pytest.mark.parametrize(
    "planted",
    [
        {
            "[there](nowhere.md)": "nowhere.md",
            "[there](other.md#no-such-place)": "'no-such-place'",
            "$$\\nosuchcommand{x}$$": "cannot be shown",
        },
        {
            '<a href="nowhere.html">there</a>': "leads to nowhere.html, which is no file",
            '<a href="other.html#no-such-place">there</a>': "no such place on that page",
            '<img src="https://example.org/a.png">': "from elsewhere",
        },
        {"<!-- written: nothing -->": "which nothing writes"},
    ],
    ids=["while it reads", "when it is done", "a mark"],
)
def test_what_leads_nowhere_or_cannot_be_shown_stops_the_build(tmp_path, planted):
    done = build(small(tmp_path, "\n\n".join(planted), other="Fine."), tmp_path / "site", tmp_path / "none")
    assert done.returncode != 0
    for text, words in planted.items():
        assert words in done.stderr, f"{text} is not told of"


def test_what_is_right_does_not_stop_it(tmp_path):
    front = '[there](other.md#a-place) $x^2$ <a href="other.html#a-place">there</a>'
    done = build(small(tmp_path, front, other="Fine.\n\n## A place\n\nHere."), tmp_path / "site", tmp_path / "none")
    assert done.returncode == 0, done.stderr


def test_a_damaged_results_tree_is_one_sentence(tmp_path):
    tree = results_tree(tmp_path)
    (tree / "claims.csv").write_text("id\nx\n", encoding="utf-8")
    done = build(small(tmp_path, "<!-- written: verdicts -->", other="Fine."), tmp_path / "site", tree)
    assert done.returncode != 0
    assert "has no column" in done.stderr
