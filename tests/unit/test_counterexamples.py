"""A false statement beside the true one: each verdict that the two counts can give."""

import pytest

from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE, WRONG
from reproduction.experiments.counterexamples import broken


def judged(violations, cases, left, beside, **more):
    counts = {"violations": violations, "cases": cases, "left": left, "beside": beside}
    return broken("id", "a source", "a statement", correction="the right one", **counts, **more)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((3, 10, 0, 20), WRONG),
        ((3, 10, 1, 20), REFUTED),  # nor does the correction hold
        ((0, 10, 0, 20), REPRODUCED),
        ((0, 10, 1, 20), REPRODUCED),  # the statement's own count decides
        ((0, 0, 0, 20), UNTESTABLE),
        ((3, 10, 0, 0), UNTESTABLE),  # nothing shows what is right
    ],
)
def test_the_two_counts_decide(counts, verdict):
    assert judged(*counts).verdict == verdict


def test_what_is_rarely_broken_is_not_shown_by_a_table_without_a_counterexample():
    assert judged(0, 10, 0, 20, rare=True).verdict == UNTESTABLE
    assert judged(1, 10, 0, 20, rare=True).verdict == WRONG


def test_marks_are_kept_and_counts_are_told():
    claim = judged(3, 10, 0, 20, ours=True, of_privacy=True)
    assert (claim.reading, claim.privacy) == ("ours", "over-stated")
    assert "10 cases as printed and 20 as corrected" in claim.correction
    assert judged(0, 10, 0, 20, rare=True, ours=True).ours
