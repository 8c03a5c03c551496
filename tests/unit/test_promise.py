"""The promise of a release is said in one way everywhere."""

import html
import re
from pathlib import Path

import pytest

from dpsampling.numerics.exact.promise import PROMISE
from dpsampling.numerics.randomness import EVALUATION
from dpsampling.release import style
from reproduction.claims import COLUMNS
from reproduction.report import page

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/private-in-bits.md", "docs/numbers.md"])
def test_every_page_says_the_promise_in_its_words_and_nothing_of_ideal_arithmetic(page):
    text = " ".join(re.sub(r"^> ?", "", (PROJECT / page).read_text(encoding="utf-8"), flags=re.MULTILINE).split())
    assert PROMISE[1:] in text  # its first letter may be small
    assert "assume exact real arithmetic" not in text


def test_the_report_says_it(tmp_path):
    (tmp_path / "claims.csv").write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    assert PROMISE in " ".join(html.unescape(page(tmp_path)).split())


@pytest.mark.parametrize("kind", ["pdf", "png", "svg"])
def test_every_figure_file_says_that_it_protects_nothing(tmp_path, kind):
    figure, _ = style.subplots()
    style.save(figure, tmp_path / f"f.{kind}")
    assert EVALUATION.encode() in (tmp_path / f"f.{kind}").read_bytes()
