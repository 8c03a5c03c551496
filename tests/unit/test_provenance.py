"""What a result says of the code that made it, and nothing of other code."""

import json
import shutil
import subprocess

import pytest

from conftest import PROJECT
from reproduction import project, provenance


def git(folder, *words):
    command = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.org", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository that has the project's .gitignore and one commit."""
    folder = tmp_path / "project"
    folder.mkdir()
    shutil.copy(PROJECT / ".gitignore", folder)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "x")
    monkeypatch.setattr(provenance, "root", lambda: folder)
    return folder


def test_a_checkout_has_its_commit(checkout):
    assert provenance.code_version() == {"commit": git(checkout, "rev-parse", "HEAD"), "dirty": False}
    (checkout / "new.py").touch()
    assert provenance.code_version()["dirty"] is True


def test_an_unpacked_copy_inside_another_repository_has_no_commit(checkout, monkeypatch):
    inside = checkout / "unpacked"
    inside.mkdir()
    monkeypatch.setattr(provenance, "root", lambda: inside)
    assert provenance.code_version() == {"commit": None, "dirty": None}


@pytest.mark.parametrize("name", ["results", "private", ".snakemake", "data/raw", "data/simulated"])
def test_what_is_made_may_be_a_link_to_a_larger_disk(checkout, tmp_path, name):
    (tmp_path / "disk").mkdir()
    (checkout / name).parent.mkdir(exist_ok=True)
    (checkout / name).symlink_to(tmp_path / "disk")
    assert provenance.code_version()["dirty"] is False


def test_a_git_that_takes_too_long_loses_no_table(checkout, monkeypatch):
    """The commit is known by then; whether files differ from it is not."""
    real = provenance._git

    def slow(*words):
        if words[0] == "status":
            raise subprocess.TimeoutExpired("git status", provenance.PATIENCE)
        return real(*words)

    monkeypatch.setattr(provenance, "_git", slow)
    assert provenance.code_version() == {"commit": git(checkout, "rev-parse", "HEAD"), "dirty": None}


def test_a_machine_without_git_knows_no_commit(checkout, monkeypatch):
    monkeypatch.setenv("PATH", str(checkout))
    assert provenance.code_version() == {"commit": None, "dirty": None}


def test_what_is_told_beside_a_table_is_handed_on_and_not_copied_with_each_frame(tmp_path):
    """pandas copies `attrs` all the way down whenever one frame comes of another."""
    experiment = project.experiment("fig5_3")
    table, told = tmp_path / "fig5_3.csv", {"inputs": {"iraq": {"origin": "published"}}}
    shutil.copy(PROJECT / "tests/golden/fig5_3.csv", table)
    origin = {"experiment": "fig5_3", "sha256": "", "parameters": {}, "about": told}
    table.with_suffix(".provenance.json").write_text(json.dumps(origin), encoding="utf-8")
    given = provenance.read(table, experiment).table
    assert given.attrs == told
    assert given[given["epsilon"] > 0].attrs["inputs"] is given.attrs["inputs"]
