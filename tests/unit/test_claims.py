"""Verdicts are computed: each constructor on both sides of its tolerance."""

import math

import pytest

from reproduction import claims

WHERE = ("id", "source", "statement")


@pytest.mark.parametrize(
    ("constructor", "given", "reproduced", "refuted"),
    [
        (claims.agrees, {"expected": 1.0, "tolerance": 0.011}, [1.0, 1.01], [1.02, math.nan]),
        (claims.agrees, {"expected": math.inf, "tolerance": 0}, [math.inf], [1e300]),
        (claims.at_most, {"limit": 1.0}, [0.9], [1.1, math.nan]),
        (claims.at_least, {"limit": 1.0}, [1.1], [0.9]),
    ],
)
def test_a_number_decides(constructor, given, reproduced, refuted):
    for measured, verdict in [*((x, "reproduced") for x in reproduced), *((x, "refuted") for x in refuted)]:
        assert constructor(*WHERE, **given, measured=measured).verdict == verdict, measured


@pytest.mark.parametrize(
    ("errors", "verdict"),
    [(4.0, "reproduced"), (3.9, "untestable"), (-3.9, "untestable"), (-4.1, "refuted"), (math.nan, "refuted")],
)
def test_a_difference_within_its_errors_decides_nothing(errors, verdict):
    assert claims.ahead(*WHERE, errors=errors, sure=4.0).verdict == verdict


def test_never_needs_a_case():
    assert claims.never(*WHERE, violations=0, cases=3).verdict == "reproduced"
    assert claims.never(*WHERE, violations=1, cases=3).verdict == "refuted"
    assert claims.never(*WHERE, violations=0, cases=0).verdict == "untestable"


@pytest.mark.parametrize(
    ("printed", "right", "slip", "verdict"),
    [
        (0.0, 0.5, True, "reproduced"),
        (0.5, 0.0, True, "misprint"),
        (0.5, 0.0, False, "wrong"),
        (0.5, 0.5, True, "refuted"),
        (0.5, math.nan, False, "refuted"),
    ],
)
def test_a_correction_must_hold_to_correct(printed, right, slip, verdict):
    errors = {"error_as_printed": printed, "error_as_corrected": right}
    claim = claims.corrected(*WHERE, correction="so", **errors, tolerance=0.1, slip=slip)
    assert claim.verdict == verdict
    assert len(claims.errata_frame("fig", [claim])) == (verdict != "reproduced")


def test_the_table_has_the_agreed_columns():
    frame = claims.frame("fig", [claims.untestable(*WHERE, "there is no data")])
    columns = ["id", "experiment", "source", "statement", "expected", "measured", "tolerance", "verdict"]
    assert list(frame.columns) == [*columns, "evidence", "reading", "privacy"]
    assert frame.loc[0, "id"] == "fig.id"
    assert "there is no data" in frame.loc[0, "measured"]


def with_defaults(claim, evidence=claims.EXACT):
    return claims.with_defaults(claim, source="thesis", evidence=evidence)


@pytest.mark.parametrize(("measured", "verdict"), [(1.0, "indicated"), (2.0, "not indicated")])
def test_a_simulated_log_indicates_at_most(measured, verdict):
    claim = claims.at_most(*WHERE, limit=1.0, measured=measured, of_privacy=True)
    assert with_defaults(claim, claims.SIMULATED_LOG).verdict == verdict
    assert with_defaults(claim, claims.SIMULATED_LOG).privacy == ""
    assert with_defaults(claim, claims.REAL_DATA).verdict in {"reproduced", "refuted"}


def test_no_correction_follows_from_a_simulated_log_and_untestable_stays_so():
    errors = {"error_as_printed": 1.0, "error_as_corrected": 0.0}
    claim = claims.corrected(*WHERE, correction="so", **errors, tolerance=0.1, slip=False)
    assert claims.errata_frame("fig", [with_defaults(claim, claims.SIMULATED_LOG)]).empty
    claim = claims.untestable(*WHERE, "there is no data")
    assert with_defaults(claim, claims.SIMULATED_LOG).verdict == "untestable"


def test_what_a_claim_says_of_itself_goes_before_what_its_experiment_says():
    claim = claims.at_most(*WHERE, limit=1.0, measured=0.0, evidence=claims.MONTE_CARLO)
    assert with_defaults(claim).evidence == claims.MONTE_CARLO
    assert with_defaults(claim).source == "source"
    other = claims.at_most("id", claims.THIS_FIGURE, "statement", limit=1.0, measured=0.0)
    assert (with_defaults(other).evidence, with_defaults(other).source) == (claims.EXACT, "thesis")


def test_privacy_is_over_stated_only_by_what_fails():
    holds, fails = (claims.at_most(*WHERE, limit=1.0, measured=x, of_privacy=True) for x in (0.0, 2.0))
    assert (holds.privacy, fails.privacy) == ("", claims.OVERSTATED)


def test_errata_are_by_gravity():
    wrong = {"correction": "so", "error_as_printed": 1.0, "error_as_corrected": 0.0, "tolerance": 0.1}
    errata = [
        claims.corrected("slip", "s", "t", **wrong, slip=True),
        claims.corrected("false", "s", "t", **wrong, slip=False),
        claims.at_most("level", "s", "t", limit=1.0, measured=2.0, of_privacy=True),
    ]
    assert list(claims.errata_frame("fig", errata)["id"]) == ["fig.level", "fig.false", "fig.slip"]


def test_ours_is_said():
    both = [claims.at_most(*WHERE, limit=1.0, measured=0.0, ours=ours) for ours in (True, False)]
    assert claims.frame("fig", both)["reading"].tolist() == ["ours", "source"]
