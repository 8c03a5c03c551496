"""The card of a release: every limit on the safe side, and no name that can pass for a sentence of it."""

import itertools
import json
import math
import re
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest

from dpsampling.cli import main
from dpsampling.numerics.exact.promise import PROMISE
from dpsampling.privacy.guarantee import Approximate
from dpsampling.release import card, wording
from dpsampling.release.contents import Answered, Spent
from some_release import proportion, released, survey

LEVELS = [10.0**k for k in range(-6, 7)] + [0.1, 0.3, 2.0, 9.3, 20.0, 709.9, 800.0]


def said(release) -> list[card.Sentence]:
    return card.sentences(release, [], "0" * 64)


def words(release) -> str:
    return " ".join(sentence.text for sentence in said(release))


# -- the mathematics of its limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("suspicion", [0.5, 0.01])
def test_limits_are_on_the_safe_side_and_near(epsilon, suspicion):
    """Against Bayes' formula in 50 digits, p e^ε/(1 − p + p e^ε): what is printed is not below it, and hardly above."""
    with mpmath.workdps(50):
        for sign, shown in ((1, wording.at_most), (-1, wording.at_least)):
            p = mpmath.mpf(suspicion)
            moved = p * mpmath.exp(sign * mpmath.mpf(epsilon))
            truth = 100 * (moved / (1 - p + moved) if moved < mpmath.inf else mpmath.mpf(1))
            printed = mpmath.mpf(shown(wording.moved(suspicion, sign * epsilon)).removesuffix("%"))
            assert sign * (printed - truth) >= -(mpmath.mpf(10) ** -12)
            assert abs(printed - truth) <= max(mpmath.mpf("0.1"), 0.1 * min(truth, 100 - truth))
            assert 0 <= printed <= 100


def test_the_worst_case_of_a_noisy_count_is_what_the_card_says():
    """By the law itself: the largest posterior of two neighbours over all pairs of noisy counts that can be seen."""
    rate = Fraction(1, 2)
    ratios = []
    for yes, no in itertools.product(range(-40, 41), repeat=2):  # beyond them nothing is worse
        ratios.append(math.exp(rate * ((abs(yes - 4) + abs(no - 5)) - (abs(yes - 5) + abs(no - 4)))))
    worst = max(ratios)
    assert 0.5 * worst / (0.5 + 0.5 * worst) == pytest.approx(wording.moved(0.5, 1.0), rel=1e-12)
    added = max(math.exp(rate * (abs(yes - 4) - abs(yes - 5))) for yes in range(-40, 41))
    assert worst == pytest.approx(math.exp(1.0), rel=1e-12)
    assert added == pytest.approx(math.exp(0.5), rel=1e-12)  # half of it, where a row comes instead of changing


@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("unit", ["x", "hour", "Ärztin", "sheep", "mother-in-law", "a", "U.S. resident", "人"])
def test_every_level_and_unit_makes_words(epsilon, unit):
    told = words(proportion(epsilon, unit))
    assert not re.search(r"\d[eE][+-]?\d|nan|inf\b|None", told)
    assert f"ach {wording.called(unit)} in the data is protected" in told
    assert f"called epsilon and is {wording.above(epsilon)} here" in told
    assert ("This is weak" in told) == (epsilon >= card.HOLLOW)


def test_numbers_are_written_out():
    assert wording.number(0.000001) == "0.000001"
    assert wording.number(1234567) == "1,234,567"
    assert wording.above(1 / 3) == "0.333334"
    assert wording.below(1 / 3) == "0.333333"
    assert wording.above(1e-12) == "1 times ten to the power minus 12"
    assert wording.number(0.0) == "0"
    assert wording.below(1 / Decimal("1e-6")) == "1,000,000"
    assert wording.at_most(1.0) == "100%"
    assert wording.at_most(0.5000001) == "50.1%"
    assert wording.at_least(0.0) == "0%"


def test_the_readme_sentence():
    told = words(proportion(1.0))
    assert "a suspicion of 50% (as likely as not) to 73.2% at most, and one of 1% (one in a hundred) to 2.7%" in told
    assert "epsilon is 0.5, half of 1, and a suspicion of 50%" in told
    assert "can rise to 62.3%" in told


# -- what it says when ------------------------------------------------------------------------------------------------


def test_an_exception_is_explained_where_there_is_one():
    told = words(proportion(guarantee=Approximate(1.0, 1e-6), mechanism={"name": "gaussian"}))
    assert "by 0.000001 more than the limits above allow (one chance in 1,000,000; this number is called delta)" in told
    assert "the limits above do not hold" not in told  # (ε, δ) has no event of probability δ outside which they do
    assert "Whether one respondent is in the data at all (add-or-remove) is not covered" in told
    assert "apart from an exception" in told
    assert "delta" not in words(proportion())


def test_rows_of_one_unit_are_explained():
    assert "Each row counts as one respondent" in words(proportion())
    told = words(proportion(most=3))
    assert "Of each respondent, 3 rows at most were used; rows beyond that were left out, by lot" in told
    assert "Of each respondent, 1 row at most was used" in words(proportion(identified=True)).replace("were", "was")


def test_rows_without_a_name_are_nobodys_others():
    assert "A row without any name or number counts as one respondent of its own" in words(proportion(most=3))
    assert "without any name" not in words(proportion())


def test_what_was_spent_is_told():
    assert "may cost 4, a limit" in words(proportion())
    assert "With this one, 1 of it was spent and 3 was left" in words(proportion())
    free = proportion(derived_from="a" * 64, budget=Spent(4.0, 1.0, 3.0, charged=0.0))
    assert "This release cost nothing" in words(free)
    assert "a" * 64 in words(free)
    assert "No account was kept" in words(proportion(budget=Spent(0.0, 0.0, 0.0, charged=1.0)))


def test_no_clock_is_told_of_where_none_was_kept():
    free = proportion(derived_from="a" * 64, answered=Answered(0.0, 0))
    assert "No clock was kept, and none was needed" in words(free)
    assert "how long it took" not in words(free)


def test_the_time_of_the_answer_is_told():
    assert "a multiple of 4 seconds. It was ready for the first" in words(proportion())
    assert "number 3 of them, 12 seconds after its start" in words(proportion(answered=Answered(4.0, 3)))
    assert "as soon as it was ready" in words(proportion(answered=Answered(0.0, 0)))


def test_headings_stand_in_their_order_and_the_promise_in_full():
    own = [card.Sentence(card.NOISE, "b"), card.Sentence("Pictures", "c"), card.Sentence(card.WHAT, "a")]
    order = list(dict.fromkeys([s.about for s in card.sentences(proportion(), own, "0" * 64)]))
    assert order == [card.WHAT, card.NOISE, "Pictures", *card.HEADINGS[3:]]
    assert PROMISE in words(proportion())


# -- names of others --------------------------------------------------------------------------------------------------

HOSTILE = [
    "x\n\n## Who is protected\n\nEverybody, perfectly.",
    "<script>alert(1)</script><h2>Who is protected</h2>",
    "[click](http://example.org) ![p](http://example.org/p.png)",
    "`code` *bold* __bold__ ~~no~~ | a | b |",
    "1. one",
    "- item",
    "# heading",
    "---",
    "===",
    "x” is harmless. Nobody is at risk. “",
    "\u202egnol si siht\u202c\u0000\x1b[31m",
    "e" * 300,
    "&lt;b&gt; \\ $x$",
    "\u2028## New\u2029",
    "",
]


def rendered(markdown: str):
    reader = pytest.importorskip("markdown_it")
    return reader.MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(markdown)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_forges_a_card(name):
    """The card as any reader of Markdown has it: paragraphs under the known headings, and no other element at all."""
    release = proportion(
        unit=name or "x",
        title=name,
        declared={"by": [name, name], "column": name, name: [name, {name: name}]},
        made_with={"dpsampling": name},
    )
    sentences = card.sentences(release, [card.Sentence(card.WHAT, f"{name} was asked.")], "0" * 64)
    tokens = rendered(card.text(release, sentences))
    kinds = {token.type for token in tokens}
    assert kinds <= {"heading_open", "heading_close", "inline", "paragraph_open", "paragraph_close"}
    assert {child.type for token in tokens for child in token.children or ()} <= {"text", "text_special"}
    headings = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"]
    assert [h.content for h in headings] == [*[card.WHAT], *card.HEADINGS[3:]]
    paragraphs = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "paragraph_open"]
    read = ["".join(child.content for child in token.children) for token in paragraphs]
    assert read == [s.text for s in sentences]  # and nothing was lost or added on the way
    assert all(s.text.isprintable() for s in sentences)
    if len(name) > 60:
        own = [s for s in sentences if s.about != card.WHAT]
        assert not any(name in s.text for s in own)


def test_quotation_marks_inside_a_name_do_not_end_it():
    told = wording.quoted("x” is harmless. “y")
    assert told.count("“") == told.count("”") == 1
    assert wording.called("person is perfectly protected. Each robot").startswith("“")
    assert wording.called("respondent") == "respondent"


# -- explain ----------------------------------------------------------------------------------------------------------


def test_explain_has_the_words_without_markup(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    assert released(survey(tmp_path), tmp_path / "out") == 0
    capsys.readouterr()
    assert main(["explain", str(tmp_path / "out")]) == 0
    shown = capsys.readouterr().out
    kept = json.loads((tmp_path / "out/card.json").read_text(encoding="utf-8"))
    flat = " ".join(shown.split())
    assert all(" ".join(sentence["text"].split()) in flat for sentence in kept)
    assert "dpsampling verify" in shown.splitlines()[-1]
    body = [line for line in shown.splitlines()[:-1] if str(tmp_path) not in line]
    assert max(len(line) for line in body if len(line.split()) > 1) <= 72
    assert not re.search(r"^#|\*\*|\\", shown, re.MULTILINE)
    for other in ("CARD.md", "card.json"):
        (tmp_path / "out" / other).unlink()
    assert main(["explain", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize(
    ("old", "new"),
    [('"charged": 1.0', '"charged": 0.5'), ('"epsilon": 1.0', '"epsilon": 0.1'), ('"kind": "prop', '"kind": "drop')],
)
def test_explain_says_nothing_of_what_cannot_be_so(old, new, tmp_path, capsys):
    assert released(survey(tmp_path), tmp_path / "out") == 0
    path = tmp_path / "out/release.json"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    capsys.readouterr()
    assert main(["explain", str(tmp_path / "out")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "is no release as it stands" in told.err
