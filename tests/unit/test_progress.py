"""How far a run is: what is counted, how long it is said to take, and what fits into a line."""

from __future__ import annotations

import pytest

from dpsampling.progress import Progress, cut, span


def run(*jobs, total=10, cores=1):
    """A run after jobs of (rule, seconds), one after another."""
    progress, now = Progress(begin=0.0, cores=cores), 0.0
    progress.plan({"table": 6, "figure": 4, "total": 10})
    for number, (rule, seconds) in enumerate(jobs):
        progress.start(number, now)  # the engine says what a job is after it says that it is at work
        progress.describe(number, rule, f"doing {rule} {number}")
        now += seconds
        progress.finish(number, now)
        progress.count(number + 1, total)
    return progress, now


def test_the_time_left_is_by_rule():
    progress, now = run(*[("table", 10.0)] * 4, ("figure", 1.0))
    assert progress.left(now) == pytest.approx(2 * 10 + 3 * 1)
    progress.cores = 2
    assert progress.left(now) == pytest.approx(23 / 2)


def test_a_rule_that_has_not_run_is_taken_for_the_mean():
    progress, now = run(*[("table", 10.0)] * 5)
    assert progress.left(now) == pytest.approx(10 + 4 * 10)


def test_what_is_at_work_is_partly_done():
    progress, now = run(*[("table", 10.0)] * 5)
    progress.describe(5, "table", "doing table 5")
    progress.start(5, now)
    assert progress.left(now + 4) == pytest.approx(50 - 4)
    assert progress.left(now + 400) == pytest.approx(40)


def test_little_is_told_while_little_is_known():
    progress, now = run(*[("table", 10.0)] * 4)
    assert progress.left(now) is None
    assert "left" not in progress.line(now, 200)


def test_the_line():
    progress, now = run(*[("table", 10.0)] * 5)
    progress.start(5, now)
    assert progress.line(now, 200) == "5/10 jobs (50%), 50 s, about 50 s left"
    progress.describe(5, "table", "computing fig5_3")
    progress.fail(17)
    assert progress.line(now + 70, 200) == (
        "5/10 jobs (50%), 2 min 0 s, about 40 s left, 1 failed: computing fig5_3 (1 min 10 s)"
    )
    assert len(progress.line(now, 30)) == 30


def test_each_tenth_is_told_once():
    progress, _ = run()
    told = []
    for done in range(41):
        progress.count(done, 40)
        told.append(progress.milestone())
    assert sum(told) == 11
    assert told[0]
    assert told[40]
    assert not Progress(begin=0.0, total=0, told=0).milestone()


@pytest.mark.parametrize(
    ("seconds", "words"), [(-1, "0 s"), (59.6, "1 min 0 s"), (61, "1 min 1 s"), (3600 * 2 + 61, "2 h 1 min")]
)
def test_a_length_of_time(seconds, words):
    assert span(seconds) == words


def test_what_is_cut():
    assert (cut("abc", 3), cut("abcd", 3), cut("abcd", 0)) == ("abc", "ab…", "…")
