"""Kills at random moments, by a seed: nothing is lost, nothing is left, and the same bytes come out later."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Copy
from robustness import Record

SAME = "the same bytes afterwards, no partial file"
SEED = 20
OVERLAY = """
seed: 11
run: [fig5_2, fig5_5]
audit: {orders: [2], epsilons: [0.5], draws: 1000, mechanisms: [diffused, secret-sample]}
experiments:
  fig5_2: {orders: [1.5, 2, 5], scales: [0.5, 1]}
  fig5_5: {epsilons: [0.01, 1], runs: 60}
"""
QUICK = ("--configfile", "overlay.yaml", "--config", "scale=quick", "--cores", "2", "--", "all")
TABLE = [sys.executable, "-m", "dpsampling", "table", "fig5_2", "--set", "orders=[2]", "--set", "scales=[1]", "--out"]
WRITER = "import sys\nfrom pathlib import Path\nfrom dpsampling.files import write_text\n" + (
    "while True:\n    write_text(Path(sys.argv[1]), 'word\\n' * 200_000)\n"
)


def killed(command: list[str], seconds: float, **where: object) -> None:
    """Start a command in a session of its own, and kill all of it after a while."""
    process = subprocess.Popen(
        command,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **where,  # type: ignore[call-overload]
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_a_writer_killed_at_any_moment_leaves_whole_files(tmp_path: Path, robustness: Record) -> None:
    target, draw = tmp_path / "target.txt", random.Random(SEED)
    for i in range(3):
        with robustness("kill", f"a writer of text, kill {i + 1} of seed {SEED}", "a whole file, or none"):
            killed([sys.executable, "-c", WRITER, str(target)], draw.uniform(0.1, 0.5))
            assert not target.exists() or target.read_text(encoding="utf-8") == "word\n" * 200_000


@pytest.mark.slow
def test_a_table_killed_at_any_moment_is_whole_or_not_there(tmp_path: Path, robustness: Record) -> None:
    whole = tmp_path / "whole.csv"
    start = time.monotonic()
    subprocess.run([*TABLE, str(whole)], check=True)
    took, draw, target = time.monotonic() - start, random.Random(SEED), tmp_path / "t.csv"
    for i in range(20):
        with robustness("kill", f"a table, kill {i + 1} of seed {SEED}", "a whole table, or none"):
            killed([*TABLE, str(target)], draw.uniform(0.0, 1.1 * took))
            assert not target.exists() or target.read_bytes() == whole.read_bytes()
    with robustness("kill", f"a table, after the kills of seed {SEED}", SAME):
        subprocess.run([*TABLE, str(target)], check=True)
        assert target.read_bytes() == whole.read_bytes()
        assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
def test_a_run_killed_twenty_times_comes_to_the_same_bytes(project_copy: Copy, robustness: Record) -> None:
    folder, draw = project_copy.folder, random.Random(SEED)
    (folder / "overlay.yaml").write_text(OVERLAY, encoding="utf-8")
    start = time.monotonic()
    project_copy.run(*QUICK)
    took = time.monotonic() - start
    expected = project_copy.results(["fig5_2", "fig5_5"])
    project_copy.run("--delete-all-output", *QUICK)
    for i in range(20):
        with robustness("kill", f"a run, kill {i + 1} of seed {SEED}", "every file that is there is as it should be"):
            killed(
                project_copy.command(*QUICK), draw.uniform(0.1, 0.6) * took, cwd=folder, env=project_copy.environment
            )
            found = project_copy.results(["fig5_2", "fig5_5"])
            assert [name for name, content in found.items() if expected[name] != content] == []
    with robustness("kill", f"a run, after the kills of seed {SEED}", SAME):
        project_copy.run(*QUICK)
        assert project_copy.results(["fig5_2", "fig5_5"]) == expected
        assert not list((folder / "results").rglob("*.part*"))
