"""The workflow as it is used: same bytes whatever the cores, re-runs of what changed, recovery after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import OVERLAY, PAIR


@pytest.fixture
def small(project_copy):
    (project_copy.folder / "overlay.yaml").write_text(OVERLAY, encoding="utf-8")
    return project_copy


QUICK = ("--configfile", "overlay.yaml", "--cores")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


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


def test_what_changed_is_made_again_and_nothing_else(small):
    small.run(*QUICK, "2", "quick")
    assert small.planned(*QUICK, "2", "quick") == []
    source = small.folder / "src/dpsampling"

    style = source / "style.py"
    os.utime(style)
    assert small.planned(*QUICK, "2", "quick") == [], "a touch is no change"

    edit(style, "#0072B2", "#0072B3")
    redrawn = small.planned(*QUICK, "2", "quick")[:-1]
    assert set(redrawn) == {"drawing fig5_2", "drawing fig5_5", "writing the manifest", "writing the report"}
    edit(style, "#0072B3", "#0072B2")
    assert small.planned(*QUICK, "2", "quick") == [], "a change taken back is no change"

    heldout = source / "experiments/renyi/heldout/table.py"
    edit(heldout, "ddof=1", "ddof=0")
    jobs = small.planned(*QUICK, "2", "quick")
    assert "computing fig5_5" in jobs
    assert "computing fig5_2" not in jobs
    edit(heldout, "ddof=0", "ddof=1")

    edit(small.folder / "overlay.yaml", "runs: 60", "runs: 61")
    jobs = small.planned(*QUICK, "2", "quick")
    assert "computing fig5_5" in jobs
    assert "computing fig5_2" not in jobs
    assert "writing the effective configuration" in jobs


def test_what_a_yaml_says_of_itself_reaches_what_bears_it(small):
    small.run(*QUICK, "2", "quick")

    def planned(path, old, new):
        edit(small.folder / path, old, new)
        jobs = small.planned(*QUICK, "2", "quick")
        edit(small.folder / path, new, old)
        return jobs[:-1]

    page = ["writing the report", "writing the manifest"]
    assert planned("config/parts.yaml", "rebalancing", "balancing") == page
    own = "config/experiments/fig5_5.yaml"
    jobs = planned(own, "p. 79", "p. 80")
    assert {"drawing fig5_5", "judging the claims of fig5_5", "writing the report"} <= set(jobs)
    assert "computing fig5_5" not in jobs
    assert "computing fig5_5" in planned(own, "code: renyi.heldout", "code: renyi.heldout\nstream: another")
    assert small.planned(*QUICK, "2", "quick") == []


def test_one_figure_by_make_with_an_overlay(small):
    environment = Path(sys.prefix)
    if not (environment / ".ready").exists():
        pytest.skip("this Python is not the environment that `make` sets up")
    # -o: the environment is ready, whatever the copy's files' dates say
    make = ["make", "-o", f"{environment}/.ready", f"VENV={environment}", "CORES=2"]
    settings = {"cwd": small.folder, "env": small.environment, "capture_output": True, "text": True, "check": False}
    done = subprocess.run([*make, "figure", "ID=fig5_2", "CONFIG=overlay.yaml"], **settings)
    assert done.returncode == 0, done.stderr
    made = {str(p.relative_to(small.folder / "results")) for p in (small.folder / "results").rglob("fig5_*.*")}
    assert {"tables/fig5_2.csv", "figures/fig5_2.pdf", "figures/fig5_2.png", "claims/fig5_2.csv"} <= made
    assert not {name for name in made if "fig5_5" in name}

    again = subprocess.run([*make, "figure", "ID=fig5_2", "CONFIG=overlay.yaml"], **settings)
    assert "Nothing to be done" in again.stdout + again.stderr
    assert "Building DAG" not in again.stdout + again.stderr  # the files themselves say so
    for path, change in (
        ("results/tables/fig5_2.csv", lambda p: p.write_bytes(p.read_bytes())),  # the same, but it may have been others
        ("overlay.yaml", lambda p: p.write_text(p.read_text(encoding="utf-8") + "\n", encoding="utf-8")),
        ("src/dpsampling/renew.py", Path.touch),
    ):
        change(small.folder / path)
        looked = subprocess.run([*make, "figure", "ID=fig5_2", "CONFIG=overlay.yaml"], **settings)
        assert looked.returncode == 0, looked.stderr
        assert "Building DAG" in looked.stdout + looked.stderr, path
        again = subprocess.run([*make, "figure", "ID=fig5_2", "CONFIG=overlay.yaml"], **settings)
        assert "Building DAG" not in again.stdout + again.stderr, path
    (small.folder / "src/dpsampling/renew.py").unlink()
    for arguments, words in (
        (["ID=fig5_22"], "did you mean 'fig5_2'"),
        ([], "name a figure"),
        (["ID=fig5_2", "CONFIG=no.yaml"], "no.yaml"),
    ):
        failed = subprocess.run([*make, "figure", *arguments], **settings)
        assert failed.returncode == 2
        assert words in failed.stderr


@pytest.mark.parametrize(
    ("overlay", "words"),
    [
        ("seed: x\n", "seed is 'x'"),
        ("experiments: {fig5_5: {order: 1}}\n", "order is 1"),
        ("experimants: {}\n", "did you mean 'experiments'"),
        ("logs: {afganistan: x.csv}\n", "did you mean 'afghanistan'"),
        ("logs: {afghanistan: nowhere.csv}\n", "logs.afghanistan is nowhere.csv, which is no file"),
        ("experiments: {fig4_7: {log: mine.yaml}}\n", "put it into config/logs"),
    ],
)
def test_a_bad_overlay_stops_the_run_before_any_job(small, overlay, words):
    (small.folder / "bad.yaml").write_text(overlay, encoding="utf-8")
    done = small.run("--configfile", "bad.yaml", "--cores", "1", "quick", check=False)
    assert done.returncode == 2
    assert words in done.stdout
    assert "Traceback" not in done.stdout
    assert not (small.folder / "results").exists()


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


LOGS = """
seed: 3
run: [fig4_6, fig4_7]
audit: {draws: 2000, orders: [2], epsilons: [1], mechanisms: [diffused, secret-sample]}
experiments:
  fig4_6: {rows: 0.02, logs: [afghanistan], epsilons: [1, 5], splits: 2, iterations: 12, burn_in: 8}
  fig4_7: {rows: 0.02, iterations: 12, burn_in: 8}
"""


def test_event_logs_are_fitted_anew_only_where_something_changed(project_copy):
    (project_copy.folder / "overlay.yaml").write_text(LOGS, encoding="utf-8")
    project_copy.run(*QUICK, "1", "quick")
    one = project_copy.results(["fig4_6", "fig4_7"])
    made = project_copy.folder / "results/quick/warlogs/afghanistan-0.02"
    assert {p.name for p in made.iterdir()} >= {"entries.npz", "features.npz", "counts.npz", "read.json"}
    assert {p.name for p in (made / "fig4_6").iterdir()} == {"splits.csv", "fits", "scores"}
    assert {p.name for p in (made / "fig4_6/scores").iterdir()} == {"inf.csv", "1.0.csv", "5.0.csv"}
    assert project_copy.planned(*QUICK, "2", "quick") == []

    project_copy.run("--delete-all-output", *QUICK, "1", "quick")
    project_copy.run(*QUICK, "2", "quick")
    assert project_copy.results(["fig4_6", "fig4_7"]) == one

    edit(project_copy.folder / "overlay.yaml", "epsilons: [1, 5]", "epsilons: [0.5, 1, 5]")
    jobs = project_copy.planned(*QUICK, "2", "quick")
    assert [job for job in jobs if job.startswith(("fitting", "scoring"))] == [
        "fitting the log afghanistan for fig4_6 at epsilon 0.5",
        "scoring the log afghanistan for fig4_6 at epsilon 0.5",
    ]
    assert "computing fig4_6" in jobs
    assert not [job for job in jobs if job.startswith(("simulating", "reading", "splitting", "computing fig4_7"))]
    edit(project_copy.folder / "overlay.yaml", "epsilons: [0.5, 1, 5]", "epsilons: [1, 5]")

    figure = project_copy.folder / "src/dpsampling/experiments/warlogs/looks.py"
    edit(figure, '"Laplace, clipped", BLUE', '"Laplace, clipped", ORANGE')
    redrawn = project_copy.planned(*QUICK, "2", "quick")[:-1]
    assert set(redrawn) == {"drawing fig4_6", "writing the manifest", "writing the report"}
    edit(figure, '"Laplace, clipped", ORANGE', '"Laplace, clipped", BLUE')

    title = project_copy.folder / "config/logs/afghanistan.yaml"
    edit(title, "title: Afghanistan", "title: Elsewhere")
    assert "computing fig4_6" in project_copy.planned(*QUICK, "2", "quick")
    edit(title, "title: Elsewhere", "title: Afghanistan")

    # The command line alone makes the same table, from a log that it simulates itself.
    out = project_copy.folder / "alone.csv"
    settings = ["rows=0.02", "logs=[afghanistan]", "epsilons=[1,5]", "splits=2", "iterations=12", "burn_in=8"]
    options = [option for setting in settings for option in ("--set", setting)]
    command = [sys.executable, "-m", "dpsampling", "table", "fig4_6", *options, "--seed", "3", "--out", str(out)]
    subprocess.run(command, cwd=project_copy.folder, env=project_copy.environment, check=True)
    assert out.read_bytes() == one["tables/fig4_6.csv"]
