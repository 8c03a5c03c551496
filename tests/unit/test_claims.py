"""Verdicts are computed: each constructor on both sides of its tolerance."""

from __future__ import annotations

import math

import pytest

from dpsampling import claims

WHERE = ("id", "source", "statement")


@pytest.mark.parametrize(
    ("measured", "verdict"), [(1.0, "reproduced"), (1.01, "reproduced"), (1.02, "refuted"), (math.nan, "refuted")]
)
def test_agrees(measured, verdict):
    assert claims.agrees(*WHERE, expected=1.0, measured=measured, tolerance=0.011).verdict == verdict


def test_infinity_agrees_with_itself_only():
    assert claims.agrees(*WHERE, expected=math.inf, measured=math.inf, tolerance=0).verdict == "reproduced"
    assert claims.agrees(*WHERE, expected=math.inf, measured=1e300, tolerance=0).verdict == "refuted"


@pytest.mark.parametrize(
    ("measured", "most", "least"), [(0.9, "reproduced", "refuted"), (1.1, "refuted", "reproduced")]
)
def test_one_sided(measured, most, least):
    assert claims.at_most(*WHERE, limit=1.0, measured=measured).verdict == most
    assert claims.at_least(*WHERE, limit=1.0, measured=measured).verdict == least
    assert claims.at_most(*WHERE, limit=1.0, measured=math.nan).verdict == "refuted"


def test_never_needs_a_case():
    assert claims.never(*WHERE, violations=0, cases=3).verdict == "reproduced"
    assert claims.never(*WHERE, violations=1, cases=3).verdict == "refuted"
    assert claims.never(*WHERE, violations=0, cases=0).verdict == "untestable"


@pytest.mark.parametrize(
    ("printed", "right", "verdict"),
    [(0.0, 0.5, "reproduced"), (0.5, 0.0, "misprint"), (0.5, 0.5, "refuted"), (0.5, math.nan, "refuted")],
)
def test_a_correction_must_hold_to_make_a_misprint(printed, right, verdict):
    claim = claims.corrected(*WHERE, correction="so", error_as_printed=printed, error_as_corrected=right, tolerance=0.1)
    assert claim.verdict == verdict
    errata = claims.errata_frame("fig", [claim])
    assert len(errata) == (verdict != "reproduced")


def test_the_table_has_the_agreed_columns():
    frame = claims.frame("fig", [claims.untestable(*WHERE, "there is no data")])
    assert list(frame.columns) == [
        "id",
        "experiment",
        "source",
        "statement",
        "expected",
        "measured",
        "tolerance",
        "verdict",
    ]
    assert frame.loc[0, "id"] == "fig.id"
    assert "there is no data" in frame.loc[0, "measured"]
