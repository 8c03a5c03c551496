"""Nothing false survives in a results tree: what was damaged, edited or lost since it was made is made again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

import warm
from conftest import OVERLAY, PAIR, Copy
from dpsampling import verification
from dpsampling.cli import main
from dpsampling.collect import listed
from dpsampling.errors import InputError
from research_object import faults

RUN = ("--configfile", "overlay.yaml", "--cores", "2")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A copy of the project in which a quick run has ended; tests leave it as it was."""
    copy = Copy(tmp_path_factory.mktemp("made") / "project")
    (copy.folder / "overlay.yaml").write_text(OVERLAY, encoding="utf-8")
    copy.run(*RUN, "quick")
    assert copy.planned(*RUN, "quick") == []
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
    "a number of a table": ("tables/fig5_2.csv", lambda p: edited(p, b"0.5", b"0.6"), "is not what was made"),
    "a verdict": ("claims/fig5_2.csv", lambda p: edited(p, b"reproduced", b"refuted"), "is not what was made"),
    "a gathered verdict": ("claims.csv", lambda p: edited(p, b"reproduced", b"rEproduced"), "is not what was made"),
    "a provenance": ("tables/fig5_5.provenance.json", lambda p: edited(p, b"seed", b"sEed"), "is not what was made"),
    "an emptied table": ("tables/fig5_5.csv", emptied, "is empty"),
    "an emptied provenance": ("tables/fig5_2.provenance.json", emptied, "is empty"),
    "an emptied picture": ("figures/fig5_2.png", emptied, "is empty"),
    "a picture that was cut": ("figures/fig5_5.pdf", cut, "is not what was made"),
    "an emptied report": ("report.html", emptied, "is empty"),
    "a lost provenance": ("tables/fig5_5.provenance.json", Path.unlink, "is missing"),
    "a lost part of the ledger": ("ledger/fig5_5.csv", Path.unlink, "is missing"),
    "a folder in a file's place": ("errata.md", lambda p: (p.unlink(), p.mkdir()), "is no file any more"),
}


def test_every_damage_is_said_and_made_good_at_the_next_start(made, tree):
    """All at once: one run has to find and mend each."""
    before = {name: (tree / name).read_bytes() for name in listed(PAIR) if not name.endswith(("json", "html"))}
    sentences = {}
    for name, damage, words in DAMAGE.values():
        if name not in sentences:
            damage(tree / name)
            sentences[name] = words
    if (tree / "errata.md").is_dir():  # the engine does not take a folder away
        (tree / "errata.md").rmdir()
        sentences["errata.md"] = "is missing"
    told = made.run(*RUN, "quick").stdout
    for name, words in sentences.items():
        assert f"dpsampling: results/quick/{name} {words}; it is made again." in told
    assert {name: (tree / name).read_bytes() for name in before} == before
    assert verification.verify(tree).faults == ()


def test_a_plan_has_the_jobs_that_made_what_is_damaged(made, tree):
    """Also where nothing that is asked for rests on them, and where size and time are the same."""
    names = ["tables/fig5_2.provenance.json", "errata/fig5_5.csv", "figures/fig5_2.pdf", "ledger.csv"]
    whole = {name: (tree / name).read_bytes() for name in names}
    for name in names:
        edited(tree / name, whole[name][-3:], b"x" + whole[name][-2:])
    told = made.run("--dry-run", *RUN, "quick").stdout
    jobs = made.planned(*RUN, "quick")
    for name, before in whole.items():
        assert f"dpsampling: results/quick/{name} is not what was made; it is made again." in told
        (tree / name).write_bytes(before)
    assert {"computing fig5_2", "drawing fig5_2", "judging the claims of fig5_5", "writing the manifest"} <= set(jobs)
    assert not {"computing fig5_5", "drawing fig5_5"} & set(jobs)
    assert made.planned(*RUN, "quick") == [], "the right bytes again are no damage"


def test_an_input_with_an_old_time_is_seen(made):
    """A source that an older version replaces bears an older time than all results."""
    source = made.folder / "src/dpsampling/experiments/renyi/heldout/table.py"
    text, times = source.read_text(encoding="utf-8"), source.stat()
    source.write_text(text.replace("ddof=1", "ddof=0"), encoding="utf-8")
    os.utime(source, ns=(times.st_atime_ns, times.st_mtime_ns - 10**12))
    try:
        assert "computing fig5_5" in made.planned(*RUN, "quick")
    finally:
        source.write_text(text, encoding="utf-8")


def job(made, *words):
    return warm.run([sys.executable, "-m", "dpsampling", "job", *words], cwd=made.folder, env=made.environment)


def test_a_source_that_is_edited_during_a_job_does_not_leave_an_old_result(made):
    """The job runs again with the new source, within the same run."""
    source = made.folder / "src/dpsampling/experiments/renyi/heldout/table.py"
    text = source.read_text(encoding="utf-8")
    out = made.folder / "edited"
    out.mkdir()
    (out / "s.seal").touch()
    words = ["--seal", str(out / "s.seal"), "--reads", str(source), "--makes", str(out / "t.csv"), "--runs"]
    words += ["table", "fig5_5", "--set=epsilons=[1]", "--set=runs=60", "--seed=3", f"--out={out / 't.csv'}"]
    pause = text.replace(
        "    for rho in",
        "    import time; from pathlib import Path; Path('started').touch(); time.sleep(2)\n    for rho in",
        1,
    )
    assert pause != text
    source.write_text(pause, encoding="utf-8")

    def edit():
        while not (made.folder / "started").exists():
            time.sleep(0.02)
        source.write_text(text.replace("ddof=1", "ddof=0"), encoding="utf-8")

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        done = job(made, *words)
        assert done.returncode == 0, done.stderr
        assert "table.py was changed during the job, which runs again." in done.stderr
        source.write_text(text.replace("ddof=1", "ddof=0"), encoding="utf-8")
        alone = out / "alone.csv"
        command = [sys.executable, "-m", "dpsampling", *words[words.index("table") : -1], f"--out={alone}"]
        warm.run(command, cwd=made.folder, env=made.environment, check=True)
        assert (out / "t.csv").read_bytes() == alone.read_bytes()
        assert json.loads((out / "s.json").read_text(encoding="utf-8"))["reads"][str(source)][2]
    finally:
        editor.join()
        source.write_text(text, encoding="utf-8")
        (made.folder / "started").unlink(missing_ok=True)


def test_a_source_that_never_rests_ends_the_job_with_a_sentence(made, tmp_path):
    source = tmp_path / "restless"
    source.write_text("0", encoding="utf-8")
    stop = threading.Event()

    def edit():
        while not stop.wait(0.01):
            source.write_text(str(time.time_ns()), encoding="utf-8")

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        words = ["--seal", f"{tmp_path}/s.seal", "--reads", str(source), "--makes", str(tmp_path / "c.yaml")]
        done = job(made, *words, "--runs", "config", "--out", str(tmp_path / "c.yaml"))
    finally:
        stop.set()
        editor.join()
    assert done.returncode == 2
    assert "was changed during the job, 3 times over" in done.stderr
    assert not (tmp_path / "s.json").exists()


def test_a_failing_command_leaves_no_record_and_its_code(made, tmp_path):
    words = ["--seal", f"{tmp_path}/s.seal", "--reads", "Snakefile", "--makes", f"{tmp_path}/t.csv"]
    done = job(made, *words, "--runs", "table", "fig5_3", "--set=n=-1", "--out", f"{tmp_path}/t.csv")
    assert done.returncode == 2
    assert "n is -1" in done.stderr
    assert list(tmp_path.iterdir()) == []


# -- whose code and whose folders --------------------------------------------------------------------------------------


def test_another_checkouts_library_is_refused(made, tmp_path):
    other = Copy(tmp_path / "other")
    environment = {**made.environment, "PYTHONPATH": str(other.folder / "src")}
    for command in (made.command(*RUN, "fig5_2"), [sys.executable, "-m", "dpsampling", "job", *JOB_WORDS]):
        done = warm.run(command, cwd=made.folder, env=environment)
        assert done.returncode == 2
        assert "unset PYTHONPATH" in done.stderr
        assert done.stderr.count("\n") == 1


JOB_WORDS = ["--seal", "s", "--reads", "Snakefile", "--makes", "x", "--runs", "list"]


def test_results_that_are_a_file_are_refused_in_a_sentence(tmp_path):
    copy = Copy(tmp_path / "project")
    (copy.folder / "results").write_text("", encoding="utf-8")
    done = copy.run("--cores", "1", "fig5_2", check=False)
    assert done.returncode == 2
    assert done.stdout == "dpsampling: results is not a folder; move it away, for it is made by the workflow.\n"


@pytest.mark.parametrize("name", ["results", ".snakemake"])
def test_folders_that_cannot_be_written_are_refused_in_a_sentence(name):
    with tempfile.TemporaryDirectory() as open_to_all:  # pytest's own folders are root's
        Path(open_to_all).chmod(0o755)
        refused_in_a_sentence(Copy(Path(open_to_all) / "project"), name)


def refused_in_a_sentence(copy, name):
    for folder in ("results", ".snakemake"):
        (copy.folder / folder).mkdir()
        (copy.folder / folder).chmod(0o555 if folder == name else 0o777)
    done = subprocess.run(
        as_nobody(copy, copy.command("--cores", "1", "fig5_2")), cwd=copy.folder, env=copy.environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert f"{name} cannot be" in done.stderr
    assert done.stderr.count("\n") == 1


def as_nobody(copy, command):
    """The command as somebody whom permissions bind."""
    if os.getuid() != 0:
        return command
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("setpriv is not there to become another user with")
    readable = subprocess.run(
        [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", command[0], "-c", "import numpy"],
        cwd=copy.folder, env=copy.environment, capture_output=True, check=False,
    )  # fmt: skip
    if readable.returncode:
        pytest.skip("another user cannot read this environment")
    return [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", *command]


def test_a_nonsense_backend_and_a_home_that_cannot_be_written_do_not_matter(made, tmp_path):
    environment = {**made.environment, "MPLBACKEND": "nonsense", "HOME": str(tmp_path / "nowhere")}
    (made.folder / "results/quick/figures/fig5_2.png").unlink()
    done = subprocess.run(
        made.command(*RUN, "quick"), cwd=made.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (made.folder / "results/quick/figures/fig5_2.png").stat().st_size > 0


# -- shells ------------------------------------------------------------------------------------------------------------


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
    done = subprocess.run(
        make, cwd=made.folder, env=made.environment, capture_output=True, text=True, check=False, timeout=120
    )
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
