"""Answers at a public time: what an onlooker with a stopwatch, or with the dates of files, learns of the rows."""

import os
import time
from collections.abc import Callable
from contextlib import nullcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.event_logs import schema
from dpsampling.event_logs.schema import Unit
from dpsampling.numerics.exact import draws, laws
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.guarantee import Pure
from dpsampling.release import clock, proportion, publish
from dpsampling.release.clock import Clock
from dpsampling.release.publish import Prepared
from some_release import SURVEY, released, survey

RARE = 1e-6  # error rate of each statistical test here
QUANTUM = 0.03


# -- the clock ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def hands(monkeypatch):
    """A clock whose hands are moved by hand; a sleeper wakes up a little late, and spinning takes a microsecond."""

    class Hands:
        now = 100.0

        def read(self) -> float:
            self.now += 1e-6
            return self.now

        def sleep(self, seconds: float) -> None:
            assert seconds >= 0
            self.now += seconds + 5e-4

    moved = Hands()
    monkeypatch.setattr(clock.time, "perf_counter", moved.read)
    monkeypatch.setattr(clock.time, "sleep", moved.sleep)
    return moved


@pytest.mark.parametrize(("work", "at"), [(0.0, 1), (0.1, 1), (3.9, 1), (3.9999, 1), (4.5, 2), (39.0, 10)])
def test_it_ends_at_the_first_multiple_that_is_still_to_come(work, at, hands):
    started = Clock(4.0, hands.now)
    hands.now += work
    assert started.next() == at
    assert not started.passed(at)
    started.wait(at)
    assert hands.now == pytest.approx(100.0 + 4.0 * at, abs=1e-5)


def test_a_multiple_that_passes_while_it_is_written_down_is_not_claimed(hands):
    started = Clock(4.0, hands.now)
    hands.now += 3.99
    at = started.next()
    hands.now += 0.02
    assert started.passed(at)
    assert started.next() == 2


def test_what_takes_longer_to_write_down_than_a_quantum_is_answered_all_the_same(hands):
    """Always aiming at the next multiple would miss every one of them."""
    started = Clock(4.0, hands.now)
    for tries, at in enumerate(started.aims(), start=1):
        hands.now += 30.0  # it is written down
        if not started.passed(at):
            break
        assert tries < 10
    assert tries == 5  # 1, 9 and then 3, 7 and 15 ahead: the first that is 8 quanta away
    assert started.next() <= at


def test_no_clock_waits_for_nothing(hands):
    started = Clock(0.0, hands.now)
    hands.now += 1.0
    started.wait(started.next())
    assert hands.now < 101.01
    assert not started.passed(started.next())


def interrupted_after(seconds: float, error: BaseException, hands) -> Callable[[], None]:
    def fail() -> None:
        hands.now += seconds
        raise error

    return fail


@pytest.mark.parametrize("failing", [InputError("no."), OSError(5, "no"), ZeroDivisionError(), MemoryError()])
def test_what_fails_ends_at_a_public_time_too(failing, hands):
    fail = interrupted_after(1.234, failing, hands)
    with pytest.raises(type(failing)), Clock(4.0, hands.now).answering():
        fail()
    assert hands.now == pytest.approx(104.0, abs=1e-5)


def test_who_interrupts_it_has_chosen_the_time(hands):
    fail = interrupted_after(1.0, KeyboardInterrupt(), hands)
    with pytest.raises(KeyboardInterrupt), Clock(4.0, hands.now).answering():
        fail()
    assert hands.now < 101.01


# -- the dates of files ------------------------------------------------------------------------------------------------


def test_no_file_is_older_than_the_public_time(tmp_path, monkeypatch):
    """The attack: stat. What is shown was made, changed and renamed after the moment at which it was to appear."""
    data, ends = survey(tmp_path), []
    wait = Clock.wait
    monkeypatch.setattr(Clock, "wait", lambda self, at: [wait(self, at), ends.append(time.time_ns())])
    assert released(data, tmp_path / "out", "--report", str(tmp_path / "report.json"), "--quantum", "1") == 0
    (end,) = ends
    tick = 10_000_000  # ns; the system's own clock for files is that coarse
    for path in [tmp_path / "out", *(tmp_path / "out").iterdir()]:
        assert path.stat().st_ctime_ns >= end - tick, path
        assert path.stat().st_mtime % 1 == 0
        assert abs(path.stat().st_mtime - end / 1e9) <= 1.1
    assert len({path.stat().st_mtime for path in (tmp_path / "out").iterdir()}) == 1
    for private in (tmp_path / "survey.csv.ledger", tmp_path / "report.json"):
        assert private.stat().st_mtime_ns >= end - tick
        assert private.stat().st_ctime_ns >= end - tick
        assert private.stat().st_mode & 0o777 == 0o600


def test_the_draft_is_out_of_sight_and_its_folder_does_not_change(tmp_path, monkeypatch):
    """The attack: look, while it waits, at the hidden folder's dates, which anybody may who sees its name."""
    data, seen = survey(tmp_path), []
    wait = Clock.wait

    def looking(self, at):
        (hidden,) = tmp_path.glob(".dpsampling.*.part")
        seen.append((hidden.stat().st_mode & 0o777, hidden.stat().st_mtime_ns))
        wait(self, at)

    drawn = publish.drawn
    before = []

    def noting(prepared, paid):
        (hidden,) = tmp_path.glob(".dpsampling.*.part")
        before.append(hidden.stat().st_mtime_ns)
        time.sleep(0.05)
        return drawn(prepared, paid)

    monkeypatch.setattr(Clock, "wait", looking)
    monkeypatch.setattr(publish, "drawn", noting)
    assert released(data, tmp_path / "out", "--quantum", "1") == 0
    assert seen == [(0o700, before[0])]


# -- the stopwatch -----------------------------------------------------------------------------------------------------


def survey_call(tmp_path, changed: bool, quantum: float) -> Callable[[], object]:
    """A library call on a small file, of which one row is another in its neighbour."""
    path = tmp_path / f"{changed}.csv"
    rows = SURVEY.replace("7,yes", "7,no") if changed else SURVEY
    path.write_text(f"id,vaccinated\n{rows}", encoding="utf-8")
    document = {
        "title": "t",
        "public": {"by": "a", "on": "2026-01-01"},
        "unit": {"name": "respondent", "most": 1},
        "features": {proportion.ANSWER: {"column": "vaccinated", "outcomes": ["yes", "no"]}},
    }
    described = schema.parse(document, "proportion", events=False)

    def prepare() -> Prepared:
        return proportion.prepare(described, path, epsilon=1.0, level=0.9)

    return lambda: publish.answered(prepare, None, quantum)


def slow_call(draws_made: int, quantum: float) -> Callable[[], object]:
    """A call whose rejection loops are as many as the data have it."""

    def draw() -> FixedPoint:
        draws.integers(laws.TwoSidedGeometric(Fraction(1, 2)), draws_made)
        return FixedPoint.of([1, 2], 0)

    noise = {"name": "noisy counts", "rate": "1/2"}
    prepared = Prepared("proportion", "t", Unit("r", 1), False, {}, noise, Pure(1.0), {}, draw)
    return lambda: publish.answered(lambda: prepared, None, quantum)


def times(calls: list[Callable[[], object]], runs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Of which data each run was, by a coin, and how long it took."""
    which = np.random.default_rng(seed).integers(0, 2, size=runs)
    took = np.empty(runs)
    for place, k in enumerate(which):
        begin = time.perf_counter()
        calls[k]()
        took[place] = time.perf_counter() - begin
    return which, took


def guessed(which: np.ndarray, took: np.ndarray) -> dict[str, tuple[int, int]]:
    """How many of the second half two classifiers tell right that learnt from the first, and of how many."""
    half = len(which) // 2
    known, asked = which[:half], which[half:]
    cuts = np.quantile(took[:half], np.linspace(0.01, 0.99, 99))
    share = [np.mean((took[:half] > cut) == known) for cut in cuts]
    best = int(np.argmax(np.abs(np.array(share) - 0.5)))
    by_threshold = (took[half:] > cuts[best]) == (asked if share[best] >= 0.5 else 1 - asked)
    bins = cuts[:: max(1, 2000 // half)]
    ones = np.bincount(np.digitize(took[:half], bins), weights=2.0 * known - 1.0, minlength=len(bins) + 1)
    by_histogram = (ones[np.digitize(took[half:], bins)] > 0) == asked
    return {"threshold": (int(by_threshold.sum()), len(asked)), "histogram": (int(by_histogram.sum()), len(asked))}


def tells_nothing(right: int, of: int) -> bool:
    """Whether so many right guesses are what a coin makes, in all but RARE of its cases."""
    return bool(stats.binomtest(right, of, 0.5).pvalue > RARE)


def test_a_stopwatch_does_not_tell_neighbours_apart(tmp_path):
    calls = [survey_call(tmp_path, changed, QUANTUM) for changed in (False, True)]
    for call in calls:
        call()
    for right, of in guessed(*times(calls, 160, 1)).values():
        assert tells_nothing(right, of)


def test_without_the_wait_a_stopwatch_tells_what_was_drawn(monkeypatch):
    """The planted bug: the better of them on answers as soon as they are ready, where one has far more work.

    So much more that other work on the machine does not hide it.
    """
    calls = [slow_call(k, 10.0) for k in (20, 5000)]
    monkeypatch.setattr(Clock, "wait", lambda self, at: None)
    monkeypatch.setattr(Clock, "answering", lambda self: nullcontext())
    for call in calls:
        call()
    right, of = max(guessed(*times(calls, 160, 2)).values())
    assert not tells_nothing(right, of)
    assert right > of / 2


def test_with_it_ten_times_the_work_is_not_seen():
    calls = [slow_call(k, 0.1) for k in (20, 200)]
    for call in calls:
        call()
    for right, of in guessed(*times(calls, 40, 3)).values():
        assert tells_nothing(right, of)


@pytest.mark.slow
def test_ten_thousand_runs_on_neighbours_are_told_apart_as_by_a_coin(tmp_path):
    """50 ± 1.5%: three standard deviations of a coin's share in 10⁴, so that one such test in 200 fails of itself."""
    calls = [survey_call(tmp_path, changed, QUANTUM) for changed in (False, True)]
    for right, of in guessed(*times(calls, 20_000, int.from_bytes(os.urandom(4), "little"))).values():
        assert abs(right / of - 0.5) <= 0.015


def test_a_command_that_fails_after_reading_answers_at_a_public_time(tmp_path, capsys):
    data = survey(tmp_path)
    data.write_bytes(b"id,vaccinated\n1,\xff\xfe\n")
    begin = time.perf_counter()
    assert released(data, tmp_path / "out", "--quantum", "0.7") == 2
    took = time.perf_counter() - begin
    assert capsys.readouterr().err.count("\n") == 1
    assert took % 0.7 < 0.3
    assert took > 0.7
    assert sorted(path.name for path in tmp_path.iterdir()) == ["survey.csv"]


@pytest.mark.parametrize("quantum", ["0", "-1", "nan", "inf", "x", "", "1e400", "٣"])
def test_a_quantum_is_a_number_above_0(quantum, tmp_path, capsys):
    assert released(survey(tmp_path), tmp_path / "out", "--quantum", quantum) == 2
    assert "--quantum is" in capsys.readouterr().err
