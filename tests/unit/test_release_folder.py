"""Releases under attack: many at once, killed at any moment, on full disks, in places that change while they work."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dpsampling.cli import main
from dpsampling.errors import InputError
from dpsampling.privacy import budget
from dpsampling.release import folder, pages, publish, verifying
from some_release import released, survey

KILLED = 30


@pytest.fixture(autouse=True)
def usual(tmp_path_factory, monkeypatch):
    """The usual permissions, and a folder for temporary files of the process's own, which stays empty."""
    before, own = os.umask(0o022), tmp_path_factory.mktemp("tmp")
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    yield
    os.umask(before)
    assert list(own.iterdir()) == []


def refused(code: int, capsys) -> str:
    told = capsys.readouterr()
    assert code == 2
    assert told.err.count("\n") == 1, told.err
    assert "Traceback" not in told.err
    return told.err


def forked(do: Callable[[], int]) -> int:
    """The number of a process that does this, quietly."""
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(quiet, stream)
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        code = do()
    finally:
        os._exit(code)


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def hidden(place: Path) -> list[str]:
    return sorted(path.name for path in place.rglob("*") if path.name.startswith("."))


# -- many at once ------------------------------------------------------------------------------------------------------


def test_ten_at_once_never_spend_more_than_the_budget(tmp_path):
    """Each asks for 0.4 of 1: two get it, and eight are told that it is not left."""
    data = survey(tmp_path)
    asked = ["--epsilon", "0.4", "--budget", "1"]
    pids = [forked(lambda k=k: released(data, tmp_path / f"out{k}", *asked)) for k in range(10)]
    codes = [ended(pid) for pid in pids]
    assert sorted(codes) == [0, 0] + [2] * 8
    account = budget.kept(tmp_path / "survey.csv.ledger")
    assert account.spent == pytest.approx(0.8)
    assert not account.overspent
    made = sorted(path.name for path in tmp_path.glob("out*"))
    assert made == sorted(f"out{k}" for k, code in enumerate(codes) if code == 0)
    for name in made:
        assert not verifying.verify(tmp_path / name, tmp_path / "survey.csv.ledger").faults
    assert hidden(tmp_path) == []


def test_two_at_once_under_one_name_lose_nothing_that_was_paid(tmp_path):
    data = survey(tmp_path)
    codes = sorted(ended(pid) for pid in [forked(lambda: released(data, tmp_path / "out")) for _ in range(2)])
    assert codes in ([0, 2], [0, 0])
    lines = budget.kept(tmp_path / "survey.csv.ledger").entries
    made = sorted(tmp_path.glob("out*"))
    assert len(made) == len(lines)
    assert all(not verifying.verify(path).faults for path in made)


# -- killed ------------------------------------------------------------------------------------------------------------


def test_whoever_is_killed_has_spent_and_leaves_nothing_private(tmp_path):
    """At 30 random moments: no half a folder, no more than one line, and the next start clears what is left."""
    data, rng = survey(tmp_path), random.Random(5)
    begin = time.perf_counter()
    assert ended(forked(lambda: released(data, tmp_path / "first", "--epsilon", "0.01"))) == 0
    usual_time = time.perf_counter() - begin
    seen = {"nothing": 0, "spent": 0, "released": 0}
    for k in range(KILLED):
        before = len(budget.kept(tmp_path / "survey.csv.ledger").entries)
        more = ["--epsilon", "0.01", "--report", str(tmp_path / "report.json")]
        pid = forked(lambda k=k, more=more: released(data, tmp_path / f"out{k}", *more))
        time.sleep(rng.uniform(0.0, 1.1 * usual_time))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        after = len(budget.kept(tmp_path / "survey.csv.ledger").entries)
        out = tmp_path / f"out{k}"
        assert after in (before, before + 1)
        if out.exists():
            assert after == before + 1
            assert not verifying.verify(out).faults
        seen["released" if out.exists() else "nothing" if after == before else "spent"] += 1
        for left in tmp_path.rglob("*"):
            if left.is_file() and left.name.startswith(".report"):
                assert stat.S_IMODE(left.stat().st_mode) & 0o077 == 0 or left.stat().st_size == 0
            elif left.is_dir() and left.name.startswith("."):
                assert stat.S_IMODE(left.stat().st_mode) == 0o700
            elif left.is_file() and ".part" in str(left):
                assert b"id,vaccinated" not in left.read_bytes()
    assert released(data, tmp_path / "last", "--epsilon", "0.01", "--report", str(tmp_path / "report.json")) == 0
    assert hidden(tmp_path) == []
    assert seen["spent"] + seen["nothing"] > 0


@pytest.mark.parametrize("moment", ["drawn", "put", "wait"])
def test_killed_after_the_charge_is_spent_at_every_step(moment, tmp_path, monkeypatch):
    data = survey(tmp_path)

    def dies(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)

    places = {"drawn": (publish, "drawn"), "put": (pages, "put"), "wait": (publish.Clock, "wait")}
    monkeypatch.setattr(*places[moment], dies)
    assert ended(forked(lambda: released(data, tmp_path / "out"))) == -signal.SIGKILL
    monkeypatch.undo()
    assert budget.kept(tmp_path / "survey.csv.ledger").spent == 1.0
    assert not (tmp_path / "out").exists()
    assert len(hidden(tmp_path)) >= 1
    assert main(["verify", str(tmp_path)]) == 2
    assert released(data, tmp_path / "another") == 0
    assert hidden(tmp_path) == []
    assert budget.kept(tmp_path / "survey.csv.ledger").spent == 2.0


def test_what_another_process_works_on_is_not_swept(tmp_path):
    data = survey(tmp_path)
    alive = tmp_path / f".dpsampling.{folder.HOST}.{os.getpid()}.abc.part"
    elsewhere = tmp_path / ".dpsampling.another-machine.1.abc.part"
    dead = tmp_path / f".dpsampling.{folder.HOST}.4194303999.abc.part"
    for path in (alive, elsewhere, dead):
        path.mkdir()
    (dead / "x").write_text("x", encoding="utf-8")
    assert released(data, tmp_path / "out") == 0
    assert (alive.exists(), elsewhere.exists(), dead.exists()) == (True, True, False)


# -- ledgers that are damaged ------------------------------------------------------------------------------------------

DAMAGES: dict[str, Callable[[Path], object]] = {
    "emptied": lambda path: path.write_bytes(b""),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "a line changed": lambda path: path.write_bytes(path.read_bytes().replace(b'"epsilon": "1"', b'"epsilon": "0"')),
    "no text": lambda path: path.write_bytes(b"\xff\x00" * 40),
    "a line of another": lambda path: path.write_bytes(path.read_bytes() + b"{}\n"),
    "the first line off": lambda path: path.write_bytes(path.read_bytes().partition(b"\n")[2]),
    "a folder": lambda path: [path.unlink(), path.mkdir()],
    "a pipe": lambda path: [path.unlink(), os.mkfifo(path)],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_ledger_stops_with_one_sentence_and_nothing_is_drawn(damage, tmp_path, capsys, monkeypatch):
    data = survey(tmp_path)
    assert released(data, tmp_path / "out") == 0
    capsys.readouterr()
    DAMAGES[damage](tmp_path / "survey.csv.ledger")
    monkeypatch.setattr(publish, "drawn", lambda *_: pytest.fail("it was drawn"))
    assert "survey.csv.ledger" in refused(released(data, tmp_path / "more"), capsys)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "survey.csv", "survey.csv.ledger"]


# -- disks that are full -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bytes_left", [0, 100, 100_000])
def test_a_full_disk_is_noticed_before_anything_is_spent(bytes_left, tmp_path):
    data = survey(tmp_path)

    def limited() -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, bytes_left))
        return released(data, tmp_path / "out")

    assert ended(forked(limited)) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["survey.csv"]


@pytest.mark.parametrize("step", ["put", "of_kind"])
def test_a_disk_that_is_full_later_says_what_is_spent(step, tmp_path, capsys, monkeypatch):
    data = survey(tmp_path)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pages, step, full)
    message = refused(released(data, tmp_path / "out"), capsys)
    assert "the disk is full" in message
    assert "the release is lost, and ε = 1 is spent" in message
    assert budget.kept(tmp_path / "survey.csv.ledger").spent == 1.0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["survey.csv", "survey.csv.ledger"]


# -- places ------------------------------------------------------------------------------------------------------------

MEANWHILE: dict[str, Callable[[Path], object]] = {
    "a folder with something": lambda out: [out.mkdir(), (out / "x").write_text("x", encoding="utf-8")],
    "a file": lambda out: out.write_text("x", encoding="utf-8"),
    "a link to nothing": lambda out: out.symlink_to("nowhere"),
    "a link to a folder": lambda out: out.symlink_to(".."),
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("kind", MEANWHILE)
def test_what_appears_meanwhile_is_kept_and_so_is_the_release(kind, tmp_path, capsys, monkeypatch):
    data, drawn = survey(tmp_path), publish.drawn

    def meanwhile(prepared, paid):
        MEANWHILE[kind](tmp_path / "out")
        return drawn(prepared, paid)

    monkeypatch.setattr(publish, "drawn", meanwhile)
    message = refused(released(data, tmp_path / "out"), capsys)
    assert "is whole and in" in message
    assert "out-2" in message
    assert not verifying.verify(tmp_path / "out-2", tmp_path / "survey.csv.ledger").faults
    assert not (tmp_path / "out" / "release.json").exists()
    assert hidden(tmp_path) == []


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "out").mkdir()
    assert released(survey(tmp_path), tmp_path / "out") == 0
    assert not verifying.verify(tmp_path / "out").faults


@pytest.mark.parametrize("name", ["x" * 300, "a/" + "y" * 256, "survey.csv/out", "survey.csv"])
def test_names_that_cannot_be_are_refused(name, tmp_path, capsys):
    refused(released(survey(tmp_path), tmp_path / name), capsys)
    assert not (tmp_path / "survey.csv.ledger").exists()
    assert hidden(tmp_path) == []


def test_a_name_with_a_nought_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        folder.check(tmp_path / "a\0b")


@pytest.mark.parametrize("name", [".", "", "../here"])
def test_the_folder_that_one_is_in_is_refused(name, tmp_path, monkeypatch, capsys):
    """Another would take its place, and the shell would be nowhere."""
    (tmp_path / "here").mkdir()
    data = survey(tmp_path)
    monkeypatch.chdir(tmp_path / "here")
    assert "is the folder that you are in" in refused(released(data, Path(name)), capsys)
    assert not (tmp_path / "survey.csv.ledger").exists()


@pytest.mark.parametrize("name", ["../there", "deep/er/out", "x/../y"])
def test_other_ways_to_name_a_new_folder_are_good(name, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    data = survey(tmp_path)
    monkeypatch.chdir(tmp_path / "here")
    assert released(data, Path(name)) == 0
    assert not verifying.verify(tmp_path / "here" / os.path.normpath(name)).faults
    assert hidden(tmp_path) == []


def test_where_another_disk_begins_is_refused(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    plain = Path.stat

    def moved(self, **told):
        found = plain(self, **told)
        return os.stat_result((*found[:2], found.st_dev + 1, *found[3:])) if self.name == "out" else found

    monkeypatch.setattr(Path, "stat", moved)
    with pytest.raises(InputError, match="where another disk begins"):
        folder.check(tmp_path / "out")


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no other disk")
def test_a_release_goes_to_another_disk_than_the_data(tmp_path):
    place = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        assert released(survey(tmp_path), place / "out") == 0
        assert not verifying.verify(place / "out", tmp_path / "survey.csv.ledger").faults
        assert hidden(place) == []
    finally:
        shutil.rmtree(place)


def test_a_release_may_be_read_by_all_and_what_it_is_made_from_may_not(tmp_path):
    data = survey(tmp_path)
    data.chmod(0o600)
    assert released(data, tmp_path / "new" / "out", "--report", str(tmp_path / "report.json")) == 0
    out = tmp_path / "new" / "out"
    assert {stat.S_IMODE(path.stat().st_mode) for path in out.iterdir()} == {0o644}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (out, out.parent)} == {0o755}
    private = (tmp_path / "survey.csv.ledger", tmp_path / "report.json", data)
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}


def test_inside_a_folder_called_private_only_the_owner_enters(tmp_path):
    assert released(survey(tmp_path), tmp_path / "private" / "x" / "out") == 0
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "private" / "x").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "private" / "x" / "out" / "CARD.md").stat().st_mode) == 0o644


def test_nothing_of_the_file_is_in_the_release_but_its_noisy_counts(tmp_path):
    """No name, path, time or count of rows; and no text of the rows that was not declared."""
    assert released(survey(tmp_path).rename(tmp_path / "nobody-knows.csv"), tmp_path / "out") == 0
    for path in (tmp_path / "out").iterdir():
        content = path.read_bytes()
        assert b"nobody-knows" not in content
        assert str(tmp_path).encode() not in content
    told = json.loads((tmp_path / "out" / "release.json").read_text(encoding="utf-8"))
    assert len(told["numbers"]["integers"]) == 2


def test_a_folder_in_use_is_refused_in_a_sentence_of_its_own(tmp_path, capsys):
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "note").write_text("mine", encoding="utf-8")
    assert released(survey(tmp_path), tmp_path / "used") == 2
    told = capsys.readouterr().err
    assert told.endswith("used is not empty; name a new folder, for nothing that was released is replaced.\n")
    assert "cannot be written" not in told


def test_another_model_of_no_release_leaves_no_folder(tmp_path, capsys):
    assert main(["release", "hmm", "--from", str(tmp_path / "none"), "--states", "2"]) == 2
    assert "holds no release.json" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_nobody_waits_to_hear_that_a_file_is_missing(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(publish, "Clock", lambda quantum: pytest.fail("it is answered at a public time"))
    assert released(tmp_path / "none.csv", tmp_path / "out") == 2
    assert "does not exist" in capsys.readouterr().err
