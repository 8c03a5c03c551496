"""Releases from the wheel, outside the checkout: with what the extra `release` installs, and without it."""

import os
import shutil
import subprocess
import sys
import zipfile

import pandas as pd
import pytest

from conftest import PROJECT, captured
from reproduction.claims import COLUMNS

PUBLIC = """\
title: Falls
public: {by: the registrar, on: 2024-05-31}
time: {column: Seen, format: ['%d.%m.%Y', '%Y-%m-%d'], from: 2004-01, to: 2004-04}
region: {column: Ward, keep: [North, South, East]}
features: {severity: {column: Severity, outcomes: [mild, severe]}}
"""
ROWS = "Seen,Ward,Severity,Patient\n" + "".join(
    f"{i % 28 + 1:02d}.0{i % 4 + 1}.2004,{'North' if i % 2 else 'South'},{'mild' if i % 3 else 'severe'},P{i % 90}\n"
    for i in range(300)
)
PAYING = "--unit patient --id Patient --max-per-unit 3 --epsilon 1 --budget 9 --quantum 0.05"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Both wheels, unpacked. The compiled kernels come along: compiling them takes most of a minute."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    for project in (PROJECT, PROJECT / "src"):
        subprocess.run(build, cwd=project, check=True, capture_output=True)
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder / "site")
    for source in (PROJECT / "src").rglob("*.py"):
        shutil.copystat(source, folder / "site" / source.relative_to(PROJECT / "src"))
    for kernel in (PROJECT / "src").glob("**/__pycache__/*.nb[ci]"):
        copy = folder / "site" / kernel.relative_to(PROJECT / "src")
        copy.parent.mkdir(exist_ok=True)
        shutil.copy2(kernel, copy)
    return folder / "site"


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Where somebody works who has no checkout."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "public.yaml").write_text(PUBLIC, encoding="utf-8")
    (folder / "log.csv").write_text(ROWS, encoding="utf-8")
    pd.read_csv(folder / "log.csv").to_parquet(folder / "log.parquet")
    return folder


def run(site, folder, words, *path):
    """A command by the wheel's program, with further folders to import from."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    environment |= {"PYTHONPATH": os.pathsep.join(map(str, [*path, site])), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", "dpsampling", *words.split()]
    return captured(command, cwd=folder, env=environment, seconds=300)


def test_the_wheel_is_what_runs(site, elsewhere):
    code = "import dpsampling, dpsampling.files.documents as d; print(dpsampling.__file__, d.root())"
    environment = {**os.environ, "PYTHONPATH": str(site)}
    told = captured([sys.executable, "-c", code], cwd=elsewhere, env=environment, check=True)
    assert told.stdout.split() == [str(site / "dpsampling/__init__.py"), str(site / "dpsampling/_project")]


@pytest.mark.parametrize(
    ("words", "folder"),
    [
        (f"release proportion log.csv --column Severity --yes severe --no mild {PAYING}", "proportion"),
        (f"release table log.csv --columns Ward Severity --schema public.yaml {PAYING}", "table"),
        (f"release hmm log.csv --schema public.yaml --states 2 {PAYING}", "hmm"),
        (f"release table log.parquet --columns Severity --schema public.yaml {PAYING}", "parquet"),
    ],
)
def test_each_release_is_made_explained_and_verified(words, folder, site, elsewhere):
    done = run(site, elsewhere, f"{words} --out {folder}")
    assert done.returncode == 0, done.stderr
    assert (elsewhere / folder / "CARD.md").read_text(encoding="utf-8").startswith("# ")
    explained = run(site, elsewhere, f"explain {folder}")
    assert explained.returncode == 0, explained.stderr
    assert "WHO IS PROTECTED" in explained.stdout
    verified = run(site, elsewhere, f"verify {folder}")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_the_report_has_its_templates_and_the_statements(site, elsewhere):
    (elsewhere / "results").mkdir()
    (elsewhere / "results" / "claims.csv").write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    done = run(site, elsewhere, "report --results results --out results/report.html")
    assert done.returncode == 0, done.stderr
    page = (elsewhere / "results" / "report.html").read_text(encoding="utf-8")
    assert "these results hold no claim." in page
    assert 'id="statement-thesis-def1"' in page


def test_mechanisms_are_compared(site, elsewhere):
    done = run(site, elsewhere, "release choose --n 300 --epsilon 1")
    assert done.returncode == 0, done.stderr
    assert "noisy" in done.stdout


@pytest.mark.parametrize(
    ("words", "hidden"),
    [
        (f"release proportion log.parquet --column Severity --yes severe --no mild {PAYING}", "duckdb"),
        (f"release table log.parquet --columns Severity --schema public.yaml {PAYING}", "duckdb"),
        (f"release hmm log.parquet --schema public.yaml --states 2 {PAYING}", "duckdb"),
        (f"release hmm log.csv --schema public.yaml --states 2 {PAYING}", "numba"),
    ],
)
def test_without_the_extra_one_sentence_says_what_to_install(words, hidden, site, elsewhere, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{hidden!r}] = None\n", encoding="utf-8")
    before = sorted(elsewhere.iterdir())
    done = run(site, elsewhere, f"{words} --out none", tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "pip install 'dpsampling[release]'" in done.stderr
    assert hidden in done.stderr
    assert sorted(elsewhere.iterdir()) == before


@pytest.mark.parametrize("hidden", ["duckdb", "arviz"])
def test_without_the_extra_csv_files_are_released_all_the_same(hidden, site, elsewhere, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules[{hidden!r}] = None\n", encoding="utf-8")
    words = f"release proportion log.csv --column Severity --yes severe --no mild {PAYING} --out without-{hidden}"
    assert run(site, elsewhere, words, tmp_path).returncode == 0
