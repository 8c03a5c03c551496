"""What tests of different kinds share."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
# A run of two small experiments, and the configuration that asks for it.
PAIR = ["fig5_2", "fig5_5"]
OVERLAY = """
seed: 11
run: [fig5_2, fig5_5]
audit: {draws: 2000, orders: [2], epsilons: [1], mechanisms: [diffused, secret-sample]}
experiments:
  fig5_2: {orders: [1.5, 2, 5], scales: [0.5, 1]}
  fig5_5: {epsilons: [0.01, 1], runs: 60}
"""
PAGE = "gathering the experiments, and writing the report"  # which is made again whenever any result is
QUICK = ("--configfile", "overlay.yaml", "--config", "scale=quick", "--cores", "2", "--")
pytest_plugins = ["robustness", "hostile.fixtures"]
# Tests of seconds that quicker ones stand beside, by their ids: a mark in the code would hit all parameters of a test.
RUNS = PROJECT / "tests" / "workflow"
LONG = PROJECT / "tests" / "long.txt"


def long_ones() -> list[str]:
    """What `make test` leaves to `make test-slow`."""
    return [line for line in LONG.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes go by their parameter's name: a packed file holds the time, and every worker must find the same ids."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the long ones before any are selected; whole runs go first, or one worker ends with them alone."""
    long = set(long_ones())
    for item in items:
        if item.nodeid in long:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: RUNS not in item.path.parents)


def tracked_files() -> list[Path]:
    """The project's own files, as git knows them; without git, whatever is not made by a tool."""
    words = ["git", "-C", str(PROJECT), "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = captured(words, cwd=PROJECT)
    if listing.returncode:
        pytest.skip("this is not a git checkout, so its own files cannot be told from others")
    return [Path(line) for line in listing.stdout.splitlines() if (PROJECT / line).is_file()]


class Copy:
    """A copy of the project whose workflow runs the copy's own library."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for path in tracked_files():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / path, folder / path)
        for kernel in PROJECT.glob("src/**/__pycache__/*.nb[ci]"):  # compiling them takes a minute
            (folder / kernel.relative_to(PROJECT)).parent.mkdir(exist_ok=True)
            shutil.copy2(kernel, folder / kernel.relative_to(PROJECT))

    @property
    def environment(self) -> dict[str, str]:
        binaries = str(Path(sys.executable).parent)
        return {
            **os.environ,
            "PYTHONPATH": str(self.folder / "src"),
            "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
            "OPENBLAS_NUM_THREADS": "1",
        }

    def small(self) -> "Copy":
        """With an overlay that asks for the two small experiments."""
        (self.folder / "overlay.yaml").write_text(OVERLAY, encoding="utf-8")
        return self

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "workflow/run.py", *arguments]

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run the workflow; the output is both streams."""
        return self._called(self.command(*arguments), check)

    def dpsampling(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command of the copy's own library; the output is both streams."""
        return self._called([sys.executable, "-m", "dpsampling", *arguments], check)

    def _called(self, words: list[str], check: bool) -> subprocess.CompletedProcess[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        done = subprocess.run(words, cwd=self.folder, env=self.environment, check=False, **streams)
        assert not check or done.returncode == 0, done.stdout
        return done

    def planned(self, *arguments: str) -> list[str]:
        """The messages of the jobs that a run would execute, such as `computing fig5_3`."""
        lines = self.run("--dry-run", *arguments).stdout.splitlines()
        targets = ("Everything is in", "See ", "The report is")
        jobs = [line.partition(": ")[2] for line in lines if line.startswith("Job ")]
        return [job for job in jobs if job and not job.startswith(targets)]

    def results(self, experiments: Sequence[str], root: str = "results/quick") -> dict[str, bytes]:
        """Every result that should be the same each time, by name."""
        from reproduction.collect import result_files

        folder = self.folder / root
        return {str(path.relative_to(folder)): path.read_bytes() for path in result_files(folder, experiments)}


@pytest.fixture
def project_copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path / "project")


@pytest.fixture
def small(project_copy: Copy) -> Copy:
    return project_copy.small()


def edit(path: Path, old: str, new: str) -> None:
    """Replace what must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def captured(
    command: Sequence[str],
    *,
    cwd: Path,
    env: dict[str, str] | None = None,
    check: bool = False,
    seconds: float = 1500.0,
) -> subprocess.CompletedProcess[str]:
    """Run a command and return its exit code with the text of both streams."""
    streams = {"capture_output": True, "text": True}
    return subprocess.run(command, cwd=cwd, env=env, check=check, timeout=seconds, **streams)
