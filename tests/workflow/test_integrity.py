"""Nothing false survives in a results tree: what was damaged, edited or lost since it was made is made again."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from conftest import PAIR, QUICK, Copy, captured
from dpsampling.cli import main
from dpsampling.errors import InputError
from reproduction import verification
from reproduction.collect import listed
from research_object import faults

RUN = QUICK


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A copy of the project in which a quick run has ended; tests leave it as it was."""
    copy = Copy(tmp_path_factory.mktemp("made") / "project").small()
    copy.run(*RUN, "all")
    assert copy.planned(*RUN, "all") == []
    shutil.copytree(copy.folder / "results/quick", copy.folder.parent / "kept")
    return copy


@pytest.fixture
def tree(made):
    return made.folder / "results/quick"


def edited(path, old, new):
    """Change a file and leave it its size and its times, as far as a user can."""
    before = path.stat()
    text = path.read_bytes()
    assert old in text
    path.write_bytes(text.replace(old, new, 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def emptied(path):
    path.write_bytes(b"")


def cut(path):
    path.write_bytes(path.read_bytes()[:-20])


DAMAGE = {
    "a number of a table": ("tables/fig5_2.csv", lambda p: edited(p, b"0.5", b"0.6")),
    "a verdict": ("claims/fig5_2.csv", lambda p: edited(p, b"reproduced", b"refuted")),
    "a gathered verdict": ("claims.csv", lambda p: edited(p, b"reproduced", b"rEproduced")),
    "a provenance": ("tables/fig5_5.provenance.json", lambda p: edited(p, b"seed", b"sEed")),
    "an emptied table": ("tables/fig5_5.csv", emptied),
    "an emptied picture": ("figures/fig5_2.png", emptied),
    "a picture that was cut": ("figures/fig5_5.pdf", cut),
    "an emptied report": ("report.html", emptied),
    "an emptied list of checksums": ("sums/audit.sha256", emptied),
}
LOST = ("ledger/fig5_5.csv", "errata.md")


def discarded(made):
    return made.dpsampling("verify", "--discard", "results/quick").stdout


def test_every_damage_is_said_and_made_good_at_the_next_start(made, tree):
    """All at once: one run has to find and mend each."""
    before = {name: (tree / name).read_bytes() for name in listed(PAIR) if not name.endswith(("json", "html"))}
    for name, damage in DAMAGE.values():
        damage(tree / name)
    for name in LOST:
        (tree / name).unlink()
    told = discarded(made)
    for name, _ in DAMAGE.values():
        assert f"dpsampling: results/quick/{name} is not what was made; it is made again." in told
    assert told.count("\n") == len(DAMAGE)
    made.run(*RUN, "all")
    assert {name: (tree / name).read_bytes() for name in before} == before
    assert verification.verify(tree).faults == ()
    assert discarded(made) == ""
    assert made.planned(*RUN, "all") == []


@pytest.mark.parametrize("name", ["figures/fig5_2.pdf", "claims/fig5_5.csv", "tables/fig5_2.csv"])
def test_an_edit_before_the_run_ends_is_found_before_it_is_gathered(made, tree, name):
    """Also where nothing was gathered yet, as in a tree that never finished."""
    (tree / "report.html").unlink()
    whole = (tree / name).read_bytes()
    edited(tree / name, whole[-3:], b"x" + whole[-2:])
    words = ["collect", *PAIR, "--results", "results/quick", "--effective", "{}"]
    refused = made.dpsampling(*words, check=False)
    assert refused.returncode == 2
    assert (
        refused.stdout == f"dpsampling: results/quick/{name} is not what was made; run again, and it is made again.\n"
    )
    assert not (tree / "report.html").exists()
    discarded(made)
    made.run(*RUN, "all")
    assert (tree / name).read_bytes() == whole


def test_an_edited_table_is_not_judged(made, tree, tmp_path):
    table = tree / "tables/fig5_2.csv"
    whole = table.read_bytes()
    edited(table, b"0.5", b"0.6")
    words = [f"--{name}={tmp_path / name}.csv" for name in ("claims", "errata", "ledger")]
    told = made.dpsampling("show", "fig5_2", f"--table={table}", f"--figure={tmp_path}/f.png", *words, check=False)
    assert told.returncode == 2
    assert "is not what was made" in told.stdout
    assert list(tmp_path.iterdir()) == []
    table.write_bytes(whole)


def test_an_input_with_an_old_time_is_seen(made):
    """A source that an older version replaces bears an older time than all results."""
    source = made.folder / "src/reproduction/experiments/renyi/heldout/table.py"
    text, times = source.read_text(encoding="utf-8"), source.stat()
    source.write_text(text.replace("ddof=1", "ddof=0"), encoding="utf-8")
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns - 10**12))
    try:
        assert any("fig5_5" in job for job in made.planned(*RUN, "all"))
    finally:
        source.write_text(text, encoding="utf-8")


# -- folders and shells ------------------------------------------------------------------------------------------------


def test_a_nonsense_backend_and_a_home_that_cannot_be_written_do_not_matter(made, tmp_path):
    environment = {**made.environment, "MPLBACKEND": "nonsense", "HOME": str(tmp_path / "nowhere")}
    (made.folder / "results/quick/figures/fig5_2.png").unlink()
    done = captured(made.command(*RUN, "all"), cwd=made.folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (made.folder / "results/quick/figures/fig5_2.png").stat().st_size > 0


@pytest.mark.parametrize(
    "words",
    [
        ["figure", "ID=x; touch broken"],
        ["figure", "ID=$(touch broken)"],
        ["figure", "ID=$(shell touch broken)"],
        ["figure", "ID=fig5_2", "CONFIG=`touch broken`"],
        ["figure", "ID=fig5_2", 'CONFIG="; touch broken; "'],
        ["verify", "RESULTS=`touch broken`"],
        ["quick", "CORES=1; touch broken"],
        ["quick", "PROFILE=$(touch broken)"],
    ],
)
def test_nothing_that_is_given_to_make_reaches_a_shell_as_a_command(made, words):
    environment = Path(sys.prefix)
    if not (environment / ".ready").exists():
        pytest.skip("this Python is not the environment that `make` sets up")
    make = ["make", "-o", f"{environment}/.ready", f"VENV={environment}", *words]
    done = captured(make, cwd=made.folder, env=made.environment, seconds=120)
    assert done.returncode != 0
    assert not (made.folder / "broken").exists()
    assert "Traceback" not in done.stderr


# -- verify ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def elsewhere(made, tmp_path):
    """A tree that somebody was given."""
    return Path(shutil.copytree(made.folder.parent / "kept", tmp_path / "theirs"))


def test_a_whole_tree_is_verified_anywhere(elsewhere, capsys):
    assert main(["verify", str(elsewhere)]) == 0
    assert f"{len(listed(PAIR))} files are what the manifest says" in capsys.readouterr().out


def test_a_tree_is_a_research_object(elsewhere):
    told = json.loads((elsewhere / "ro-crate-metadata.json").read_text(encoding="utf-8"))
    assert faults(told, elsewhere) == []
    assert {"#make-fig5_2", "#make-fig5_5", "#gather"} <= {entity["@id"] for entity in told["@graph"]}
    assert main(["crate", str(elsewhere), "--out", str(elsewhere / "again.json")]) == 0
    assert (elsewhere / "again.json").read_bytes() == (elsewhere / "ro-crate-metadata.json").read_bytes()


@pytest.mark.parametrize("name", listed(PAIR))
def test_any_byte_that_differs_is_found(elsewhere, name, capsys):
    whole = (elsewhere / name).read_bytes()
    (elsewhere / name).write_bytes(whole[:10] + bytes([whole[10] ^ 1]) + whole[11:])
    assert main(["verify", str(elsewhere)]) == 2
    assert f"{name} is not what the manifest says" in capsys.readouterr().out


def with_manifest(tree, change):
    told = json.loads((tree / "manifest.json").read_text(encoding="utf-8"))
    change(told)
    (tree / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    return verification.verify(tree).faults


def test_a_manifest_that_was_made_to_fit_an_edit_still_contradicts_itself(elsewhere):
    from dpsampling.files import checksum

    def forge(told, name):
        entry = next(entry for entry in told["files"] if entry["file"] == name)
        entry["sha256"] = checksum(elsewhere / name)

    edited(elsewhere / "claims/fig5_2.csv", b"reproduced", b"rEproduced")
    assert "claims.csv is not what the files of claims/ hold together" in with_manifest(
        elsewhere, lambda told: forge(told, "claims/fig5_2.csv")
    )
    edited(elsewhere / "tables/fig5_2.csv", b"0.5", b"0.6")
    assert "tables/fig5_2.csv is not the table that its origin in the manifest is about" in with_manifest(
        elsewhere, lambda told: forge(told, "tables/fig5_2.csv")
    )


def test_what_a_manifest_has_lost_is_found(elsewhere):
    def lose(told):
        told["files"] = [entry for entry in told["files"] if entry["file"] != "audit.csv"]

    assert "audit.csv is not in the manifest" in with_manifest(elsewhere, lose)


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"files": [{"file": 1}], "tables": {}}'])
def test_what_is_no_manifest_is_said(tmp_path, text, capsys):
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    assert main(["verify", str(tmp_path)]) == 2
    assert "is no manifest" in capsys.readouterr().err


def test_a_manifest_cannot_point_outside(tmp_path):
    told = {"files": [{"file": "../x", "bytes": 1, "sha256": ""}], "tables": {}}
    (tmp_path / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(InputError, match="names a file outside its folder"):
        verification.verify(tmp_path)


def test_a_missing_tree_is_said(tmp_path, capsys):
    assert main(["verify", str(tmp_path / "nowhere")]) == 2
    assert "name a folder of results" in capsys.readouterr().err
