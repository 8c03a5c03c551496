"""Every Python that is promised: the set-up, a figure, and some tests, in an environment of its own."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import PROJECT, Copy
from robustness import Record

pytestmark = pytest.mark.slow

SELECTION = ["tests/unit/test_files.py", "tests/unit/test_documents.py", "tests/unit/test_claims.py"]
CLASSIFIER = re.compile(r'"Programming Language :: Python :: (3\.\d+)"')


def interpreter(version: str) -> str | None:
    """A Python of a version: on the path, or one that pyenv has."""
    found = shutil.which(f"python{version}")
    works = found and not subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode
    installed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
    return found if works else str(installed[-1]) if installed else None


@pytest.mark.parametrize("version", CLASSIFIER.findall((PROJECT / "pyproject.toml").read_text(encoding="utf-8")))
def test_a_python(version: str, tmp_path: Path, robustness: Record) -> None:
    with robustness("Python", "make setup, a figure, some tests", "all end well") as attempt:
        attempt.where = f"Python {version}"
        python = interpreter(version)
        if python is None:
            pytest.skip(f"Python {version} is not on this machine")
        folder = Copy(tmp_path / "project").folder
        kept = {name: word for name, word in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        told = subprocess.check_output([python, "--version"], text=True).strip()
        (folder / "overlay.yaml").write_text("experiments: {fig5_2: {orders: [2], scales: [1]}}\n", encoding="utf-8")
        for command in (
            ["make", "setup", f"PYTHON={python}"],
            ["make", "figure", "ID=fig5_2", "CONFIG=overlay.yaml", "CORES=1", f"PYTHON={python}"],
            [".venv/bin/pytest", "-n", "0", *SELECTION],
        ):
            done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        assert (folder / "results/figures/fig5_2.pdf").stat().st_size > 1000
        attempt.where, attempt.seen = told, "all ended well"
