"""The workflow as it is used: same bytes whatever the cores, re-runs of what changed, recovery after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from conftest import PAGES, PAIR, QUICK, Copy, edit
from dpsampling.report.summary import summary


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A small project that ran; whoever edits it takes that back."""
    copy = Copy(tmp_path_factory.mktemp("ran") / "project").small()
    copy.said = copy.run(*QUICK, "2", "quick").stdout
    return copy


def test_a_whole_run_ends_with_its_verdicts_and_one_figure_with_its_place(ran):
    words = summary(ran.folder / "results/quick").replace(f"{ran.folder}/", "")
    assert "claims judged: " in words
    assert words in ran.said
    of_one = ran.run(*QUICK, "2", "fig5_2").stdout
    assert "claims judged" not in of_one
    assert "See results/figures/fig5_2.pdf" in of_one


def test_the_same_bytes_with_one_core_and_with_two_after_a_kill(small, robustness):
    small.run(*QUICK, "1", "quick")
    one = small.results(PAIR)
    assert len(one) > 15

    small.run("--delete-all-output", *QUICK, "1", "quick")
    with robustness("kill", "a run, when its first table is there", "the same bytes afterwards, no partial file"):
        kill_and_resume(small, one)


def kill_and_resume(small, one):
    killed = subprocess.Popen(
        small.command(*QUICK, "2", "quick"),
        cwd=small.folder,
        env=small.environment,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    tables = small.folder / "results/quick/tables"
    while not (tables.exists() and list(tables.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert not (small.folder / "results/quick/report.html").exists()
    small.run(*QUICK, "2", "quick")
    assert small.results(PAIR) == one
    assert not list((small.folder / "results").rglob("*.part*"))


def test_what_changed_is_made_again_and_nothing_else(ran):
    assert ran.planned(*QUICK, "2", "quick") == []
    source = ran.folder / "src/dpsampling"

    style = source / "style.py"
    os.utime(style)
    assert ran.planned(*QUICK, "2", "quick") == [], "a touch is no change"

    edit(style, "#0072B2", "#0072B3")
    redrawn = ran.planned(*QUICK, "2", "quick")[:-1]
    assert set(redrawn) == {"drawing fig5_2", "drawing fig5_5", *PAGES}
    edit(style, "#0072B3", "#0072B2")
    assert ran.planned(*QUICK, "2", "quick") == [], "a change taken back is no change"

    heldout = source / "experiments/renyi/heldout/table.py"
    edit(heldout, "ddof=1", "ddof=0")
    jobs = ran.planned(*QUICK, "2", "quick")
    assert "computing fig5_5" in jobs
    assert "computing fig5_2" not in jobs
    edit(heldout, "ddof=0", "ddof=1")

    edit(ran.folder / "overlay.yaml", "runs: 60", "runs: 61")
    jobs = ran.planned(*QUICK, "2", "quick")
    assert "computing fig5_5" in jobs
    assert "computing fig5_2" not in jobs
    assert "writing the effective configuration" in jobs
    edit(ran.folder / "overlay.yaml", "runs: 61", "runs: 60")


def test_what_a_yaml_says_of_itself_reaches_what_bears_it(ran):
    def planned(path, old, new):
        edit(ran.folder / path, old, new)
        jobs = ran.planned(*QUICK, "2", "quick")
        edit(ran.folder / path, new, old)
        return jobs[:-1]

    page = [*PAGES]
    assert planned("config/parts.yaml", "rebalancing", "balancing") == page
    own = "config/experiments/fig5_5.yaml"
    jobs = planned(own, "p. 79", "p. 80")
    assert {"drawing fig5_5", "judging the claims of fig5_5", "writing the report"} <= set(jobs)
    assert "computing fig5_5" not in jobs
    assert "computing fig5_5" in planned(own, "code: renyi.heldout", "code: renyi.heldout\nstream: another")
    assert ran.planned(*QUICK, "2", "quick") == []


def test_a_second_run_at_the_same_time_is_refused(small, robustness):
    first = subprocess.Popen(
        small.command(*QUICK, "1", "quick"),
        cwd=small.folder,
        env=small.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while not (small.folder / ".snakemake/log").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        with robustness("concurrency", "a second run in the same folder", "exit code 2, one sentence"):
            second = small.run(*QUICK, "1", "quick", check=False)
            assert second.returncode == 2
            assert "another run is at work" in second.stdout
    finally:
        first.terminate()
        first.wait()
