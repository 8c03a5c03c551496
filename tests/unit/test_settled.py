"""When a run may be over at once: never if a file that matters is another, or the note cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dpsampling import files, records, settled


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of three files, and a job of it that has read one, read another from elsewhere, and made the third."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(records, "_planned", [])
    monkeypatch.setattr(settled, "not_made", {})
    records.examined.cache_clear()
    for path in ("Snakefile", "config/config.yaml", "results/t.csv", "elsewhere/raw.csv"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(path, encoding="utf-8")
    seal = records.examined("job")
    records.write(seal, records.stamps(["config/config.yaml", "elsewhere/raw.csv"]), ["results/t.csv"])
    return tmp_path


def settle(asked="this"):
    settled.settle(asked, settled.state(settled.DECIDES), [])
    return settled.still(asked)


def test_the_same_is_over_at_once_and_says_what_was_said(project):
    settled.not_made["glm_error"] = ["adult is nowhere"]
    assert settle() == ["glm_error is not made: adult is nowhere"]
    assert settled.still("that") is None


@pytest.mark.parametrize("path", ["Snakefile", "config/config.yaml", "results/t.csv", "elsewhere/raw.csv"])
@pytest.mark.parametrize("change", ["same size and times", "gone", "a folder"])
def test_whatever_differs_is_seen(project, path, change):
    assert settle() == []
    file = Path(path)
    if change == "same size and times":
        before = file.stat()
        file.write_text(file.read_text(encoding="utf-8").swapcase(), encoding="utf-8")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        file.unlink()
        if change == "a folder":
            file.mkdir()
    assert settled.still("this") is None


@pytest.mark.parametrize(
    "path", ["config/new.yaml", "results/quick/more.csv", "data/raw/rows.csv", "private/counts.npz"]
)
def test_a_new_file_is_seen(project, path):
    assert settle() == []
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).touch()
    assert settled.still("this") is None


def test_what_changed_while_a_run_was_at_work_is_not_settled(project):
    before = settled.state(settled.DECIDES)
    Path("config/config.yaml").write_text("edited", encoding="utf-8")
    settled.settle("this", before, [])
    assert settled.still("this") is None


@pytest.mark.parametrize("path", ["results/t.csv", "elsewhere/raw.csv"])
def test_what_is_not_as_its_job_left_it_is_not_settled(project, path):
    Path(path).write_text("other", encoding="utf-8")
    assert settle() is None


def test_a_job_without_a_record_is_not_settled(project):
    records.examined("another")
    assert settle() is None


@pytest.mark.parametrize("note", ["", "[]", "{}", '{"asked": "this", "state": 3}', '{"asked": "this"', "null"])
def test_a_note_of_another_kind_says_nothing(project, note):
    assert settle() == []
    files.write_text(settled.NOTE, note)
    assert settled.still("this") is None


def test_links_are_followed_once(project):
    Path("results/link").symlink_to("../elsewhere", target_is_directory=True)
    Path("elsewhere/loop").symlink_to(".", target_is_directory=True)
    assert settle() == []
    Path("elsewhere/more.csv").touch()  # behind the link
    assert settled.still("this") is None


@pytest.mark.parametrize(
    ("arguments", "plain"),
    [
        (["--cores", "all", "--", "all"], True),
        (["--cores", "2", "--configfile", "o.yaml", "--", "quick"], True),
        (["--cores", "2", "-n", "--", "all"], False),
        (["--cores", "2", "--report", "r.html", "--", "all"], False),
        (["--cores", "2", "all"], False),
        (["--cores", "2", "--forceall", "--", "all"], False),
    ],
)
def test_only_plain_runs_are_settled(arguments, plain):
    assert settled.is_plain(arguments) is plain
