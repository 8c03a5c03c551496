"""The workflow as it is used: same bytes whatever the cores, re-runs of what changed, recovery after a kill."""

import os
import signal
import subprocess
import time

import pytest

from conftest import PAGE, PAIR, QUICK, Copy, edit
from reproduction.report.summary import summary


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A small project that ran; whoever edits it takes that back."""
    copy = Copy(tmp_path_factory.mktemp("ran") / "project").small()
    copy.run(*QUICK, "all")
    return copy


def test_a_whole_run_says_what_came_out(ran):
    words = summary(ran.folder / "results/quick").replace(f"{ran.folder}/", "")
    assert "claims judged: " in words
    assert ran.dpsampling("summary", "results/quick").stdout == f"{words}\n"


def test_the_same_bytes_with_one_core_and_with_two_after_a_kill(small, robustness):
    one_core = [word if word != "2" else "1" for word in QUICK]
    small.run(*one_core, "all")
    one = small.results(PAIR)
    assert len(one) > 15

    small.run("--delete-all-output", *one_core, "all")
    with robustness("kill", "a run, when its first table is there", "the same bytes afterwards, no partial file"):
        kill_and_resume(small, one)


def kill_and_resume(small, one):
    killed = subprocess.Popen(
        small.command(*QUICK, "all"),
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
    small.run(*QUICK, "all")
    assert small.results(PAIR) == one
    assert not list((small.folder / "results").rglob("*.part*"))


def test_what_changed_is_made_again_and_nothing_else(ran):
    assert ran.planned(*QUICK, "all") == []
    source = ran.folder / "src/dpsampling"
    for path in (source / "release/style.py", ran.folder / "results/quick/tables/fig5_2.csv"):
        os.utime(path)
    assert ran.planned(*QUICK, "all") == [], "a touch is no change"

    def planned(path, old, new):
        edit(path, old, new)
        jobs = ran.planned(*QUICK, "all")
        edit(path, new, old)
        return set(jobs)

    show = {"drawing and judging fig5_2, fig5_5", PAGE}  # at quick scale they share a job
    assert planned(source / "release/style.py", "#0072B2", "#0072B3") == show
    assert planned(source / "errors.py", "did you mean", "do you mean") == set(), "a message changes no number"
    table = planned(ran.folder / "src/reproduction/experiments/renyi/heldout/table.py", "ddof=1", "ddof=0")
    assert table == {"computing fig5_2, fig5_5", *show}
    assert planned(ran.folder / "overlay.yaml", "runs: 60", "runs: 61") == table
    assert ran.planned(*QUICK, "all") == [], "a change taken back is no change"

    assert planned(ran.folder / "config/parts.yaml", "rebalancing", "balancing") == {PAGE}
    own = ran.folder / "config/experiments/fig5_5.yaml"
    assert planned(own, "p. 79", "p. 80") == show
    assert planned(own, "code: renyi.heldout", "code: renyi.heldout\nstream: another") == table


def test_a_second_run_at_the_same_time_is_refused(small, robustness):
    first = subprocess.Popen(
        small.command(*QUICK, "all"),
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
            second = small.run(*QUICK, "all", check=False)
            assert second.returncode == 2
            assert "another run is at work" in second.stdout
    finally:
        first.terminate()
        first.wait()
