"""A whole run at reduced scale as on other processors: the same verdicts and words, and numbers but for last digits."""

import shutil
import subprocess
from pathlib import Path

import pytest

import processors
from conftest import PROJECT, Copy
from reproduction import comparison
from robustness import Record

pytestmark = pytest.mark.processors


def run(copy: Copy, variables: dict[str, str]) -> Path:
    """The results of a run from nothing, with the data sets that are here."""
    if (PROJECT / "data/raw").is_dir():
        (copy.folder / "data/raw").symlink_to((PROJECT / "data/raw").resolve())
    environment = copy.environment | variables | {"PYTHONPATH": copy.environment["PYTHONPATH"]}
    words = copy.command("--cores", "all", "--config", "scale=quick", "--", "all")
    subprocess.run(words, cwd=copy.folder, env=environment, check=True, capture_output=True, text=True)
    return copy.folder / "results/quick"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(Copy(tmp_path_factory.mktemp("here") / "project"), {})


@pytest.mark.parametrize("processor", list(processors.PROCESSORS))
def test_a_run_on_another_processor(processor: str, here: Path, tmp_path: Path, robustness: Record) -> None:
    with robustness("processor", f"a run as on {processor}", "the same verdicts, and numbers but for last digits"):
        copy = Copy(tmp_path / "project")
        assert comparison.compare(here, run(copy, processors.variables(processor, tmp_path)), machines=True) == []
        shutil.rmtree(copy.folder)
