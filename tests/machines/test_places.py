"""Other places: locales, time zones, clocks, and folders with odd names. The same bytes come out everywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Copy

SAME = "the same bytes as elsewhere"
LOCALES = {
    "LANG=C": {"LANG": "C"},
    "LC_ALL=POSIX": {"LC_ALL": "POSIX"},
    "ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8"},
    "German": {"LC_ALL": "de_DE.ISO-8859-1", "PYTHONUTF8": "0"},
    "PYTHONUTF8=0": {"PYTHONUTF8": "0"},
    "Latin-1 streams": {"PYTHONIOENCODING": "latin-1"},
    "an unknown locale": {"LC_ALL": "xx_XX.klingon"},
    "Kathmandu": {"TZ": "Asia/Kathmandu"},
    "an unknown time zone": {"TZ": "Nowhere/Never"},
    "another hash seed": {"PYTHONHASHSEED": "77"},
    "optimised": {"PYTHONOPTIMIZE": "2"},
}
LIGHT = "ASCII"
COMMANDS = (
    "table fig5_2 --set orders=[2] --set scales=[1] --out t.csv",
    "figure fig5_2 --table t.csv --out t.svg --out t.pdf --out t.png",
    "claims fig5_2 --table t.csv --out c.csv --errata e.csv --ledger l.csv",
    "config --out c.yaml",
    "warlogs simulate iraq --rows 0.002 --out raw.csv",
    "warlogs count iraq --raw raw.csv --out counts.npz",
)
DROPPED = ("LANG", "LANGUAGE", "PYTHONUTF8", "PYTHONIOENCODING", "TZ")


def made(folder: Path, changes: dict[str, str], commands: tuple[str, ...]) -> dict[str, bytes]:
    """What the commands write in an environment, without what tells times."""
    folder.mkdir()
    kept = {name: word for name, word in os.environ.items() if name not in DROPPED and not name.startswith("LC_")}
    for command in commands:
        words = [sys.executable, "-m", "dpsampling", *command.split()]
        done = subprocess.run(words, cwd=folder, env=kept | changes, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir() if "provenance" not in path.name}


def test_a_table_and_the_list_where_there_is_only_ascii(tmp_path, robustness):
    with robustness("locale", "a table, and the list, in ASCII", SAME):
        commands = (COMMANDS[0], "list -v fig5_2")
        assert made(tmp_path / "a", LOCALES[LIGHT], commands) == made(tmp_path / "b", {}, commands)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the commands write where nothing is odd."""
    found = made(tmp_path_factory.mktemp("usual") / "here", {"LANG": "C.UTF-8"}, COMMANDS)
    assert len(found) == 10
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", LOCALES)
def test_every_locale(name, usual, tmp_path, robustness):
    with robustness("locale", f"six commands, {name}", SAME):
        assert made(tmp_path / "there", LOCALES[name], COMMANDS) == usual


YEARS = {"in 1970": 1.0, "in 2100": 4_102_444_800.0}


def dated(folder: Path, seconds: float) -> None:
    """Every file of a folder as if it were written then."""
    for path in folder.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path, (seconds, seconds))


@pytest.mark.parametrize("year", YEARS)
def test_a_table_from_another_time(year, tmp_path, robustness):
    with robustness("clock", f"claims of a table that was written {year}", SAME):
        made(tmp_path / "a", {}, COMMANDS[:1])
        dated(tmp_path / "a", YEARS[year])
        told = made_in(tmp_path / "a", COMMANDS[2])
        (tmp_path / "b").mkdir()
        for name in ("t.csv", "t.provenance.json"):
            (tmp_path / "b" / name).write_bytes((tmp_path / "a" / name).read_bytes())
        assert made_in(tmp_path / "b", COMMANDS[2]) == told


def made_in(folder: Path, command: str) -> bytes:
    """The claims that a command writes in a folder."""
    subprocess.run([sys.executable, "-m", "dpsampling", *command.split()], cwd=folder, check=True)
    return (folder / "c.csv").read_bytes()


ONE = ("--configfile", "overlay.yaml", "--config", "scale=quick", "--cores", "1", "--", "all")


def ready(project: Copy) -> Copy:
    """A copy that makes one small experiment."""
    overlay = "run: [fig5_2]\naudit: {orders: [2], epsilons: [0.5], draws: 1000, mechanisms: [diffused]}\n"
    overlay += "experiments: {fig5_2: {orders: [2], scales: [1]}}\n"
    (project.folder / "overlay.yaml").write_text(overlay, encoding="utf-8")
    return project


@pytest.mark.slow
def test_a_run_whose_clock_was_wrong(tmp_path, robustness):
    project = ready(Copy(tmp_path / "project"))
    project.run(*ONE)
    expected = project.results(["fig5_2"])
    for what, folder in (("sources", "src"), ("configuration", "config"), ("results", "results")):
        for year, seconds in YEARS.items():
            with robustness("clock", f"a run whose {what} are dated {year}", SAME):
                dated(project.folder / folder, seconds)
                project.run(*ONE)
                assert project.results(["fig5_2"]) == expected


FOLDERS = {
    "a space": "a b",
    "a quote": "it's",
    "double quotes": 'a"b',
    "Greek": "ρ ε",
    "a leading dash": "-rf",
    "braces": "{x}",
    "a dollar": "$HOME",
    "a semicolon": "a;b",
    "a hash": "a#b",
    "a percent": "100%",
    "a star": "*",
    "a long name": "x" * 200,
    "many folders": "/".join(["y" * 60] * 12),
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What the small experiment gives in a folder with a plain name."""
    project = ready(Copy(tmp_path_factory.mktemp("plain") / "project"))
    project.run(*ONE)
    return project.results(["fig5_2"])


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_a_run_in_a_folder_with_an_odd_name(name, expected, tmp_path, robustness):
    with robustness("path", f"a run in a folder with {name}", SAME):
        project = ready(Copy(tmp_path / FOLDERS[name]))
        project.run(*ONE)
        assert project.results(["fig5_2"]) == expected
