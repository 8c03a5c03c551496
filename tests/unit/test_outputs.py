"""What commands write and print, attacked: places that are no files, inputs, rights, full disks, strange words."""

import argparse
import dataclasses
import errno
import importlib
import json
import os
import pkgutil
import resource
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pytest

import reproduction.commands
from conftest import PROJECT, captured
from dpsampling import files
from dpsampling.cli import commands, main, parsing
from dpsampling.cli.outputs import OutputFile
from dpsampling.errors import InputError
from dpsampling.privacy.budget import Budget
from dpsampling.privacy.guarantee import Pure
from dpsampling.profiles.files import _checksum
from reproduction import project
from reproduction.experiments.renyi import styles

PROFILES = "profile,tea,coffee\nann,.2,.8\nbob,.4,.6\n"
EDGES = "from,to\nann,bob\n"
SECRET = "plague"  # in rows that nobody is to see

RELEASED = "--unit row --epsilon 1 --budget 1 --quantum 0.05"
# Every command that writes a file: its words with an input of each name, each output's option, and the output's ending.
WRITING = [
    ("amplification kernel --kernel {i} --epsilon 1", "--out", ".csv"),
    ("artifact measure {t} --main {i}", "--out", ".json"),
    ("artifact page --main {i} --measured {t}/m.json", "--out", ".md"),
    ("audit", "--out", ".csv"),
    ("audit --out {t}/other.csv", "--liars", ".csv"),
    ("claims fig5_3 --table {i}", "--out", ".csv"),
    ("claims fig5_3 --table {i} --out {t}/other.csv", "--errata", ".csv"),
    ("claims fig5_3 --table {i} --out {t}/other.csv", "--ledger", ".csv"),
    ("compare {t} {t}", "--out", ".csv"),
    ("config --config {i}", "--out", ".yaml"),
    ("crate {t}", "--out", ".json"),
    ("design abalone --raw {i}", "--out", ".npz"),
    ("figure fig5_3 --table {i}", "--out", ".pdf"),
    ("logistic release --design {i} --epsilon 1 --delta 1e-6 --budget 2", "--out", ".json"),
    ("logistic sweep --for glm_error --design {i}", "--out", ".csv"),
    ("perturb fig5_3 --results {t}", "--out", ".csv"),
    ("profiles release --mechanism {i}", "--out", ".csv"),
    ("profiles simulate --mechanism {t}/m.json --observations {i} --seed 1", "--out", ".csv"),
    ("profiles solve --profiles {i} --edges {t}/E.csv --epsilon 1", "--out", ".json"),
    ("release choose --n 50 --epsilon 1", "--out", ".csv"),
    (f"release hmm {{i}} --schema {{t}}/x.yaml --states 1 {RELEASED} --out {{t}}/out", "--report", ".json"),
    (f"release proportion {{i}} --column a --yes y --no n {RELEASED} --out {{t}}/out", "--report", ".json"),
    (f"release table {{i}} --schema {{t}}/x.yaml --columns a {RELEASED} --out {{t}}/out", "--report", ".json"),
    ("report --results {t}", "--out", ".html"),
    ("show fig5_3 --table {i} --claims {t}/other.csv", "--figure", ".pdf"),
    ("show fig5_3 --table {i} --figure {t}/other.pdf", "--claims", ".csv"),
    ("show fig5_3 --table {i} --figure {t}/other.pdf --claims {t}/other.csv", "--errata", ".csv"),
    ("show fig5_3 --table {i} --figure {t}/other.pdf --claims {t}/other.csv", "--ledger", ".csv"),
    ("table fig5_3 --config {i}", "--out", ".csv"),
    ("table fig5_3 --config {i} --out {t}/other.csv", "--sums", ".sha256"),
    ("warlogs count afghanistan --raw {i}", "--out", ".npz"),
    ("warlogs count afghanistan --raw {i} --out {t}/other.npz", "--table", ".csv"),
    ("warlogs count afghanistan --raw {i} --out {t}/other.npz", "--report", ".json"),
    ("warlogs count afghanistan --raw {i} --part", "--out", ".npz"),
    ("warlogs count afghanistan --parts {i}", "--out", ".npz"),
    ("warlogs fit --counts {i} --epsilon 1", "--out", ".csv"),
    ("warlogs model --counts {i} --epsilon 1 --budget 1", "--out", ".json"),
    ("warlogs model --counts {i} --epsilon 1 --budget 1 --out {t}/other.json", "--noisy", ".npz"),
    ("warlogs schema {i} --time a --region b --count c", "--out", ".yaml"),
    ("warlogs simulate {t}/log.yaml", "--out", ".csv"),
    ("warlogs simulate afghanistan --out {t}/other.csv", "--planted", ".csv"),
]
# Every command that writes a folder, into which no option says where a file goes.
FOLDERS = [
    "release hmm {i} --schema {t}/x.yaml --states 1 " + RELEASED,
    "release hmm --from {t}/kept --states 1",
    "release proportion {i} --column a --yes y --no n " + RELEASED,
    "release table {i} --schema {t}/x.yaml --columns a " + RELEASED,
]


def each(cases):
    names = [f"{words.split(' -')[0]} {option}" for words, option, _ in cases]
    return pytest.mark.parametrize(("words", "option", "ending"), cases, ids=names)


EACH = each(WRITING)


def parsers(package, prefix=""):
    """The parser of every command of a package, by its name."""
    for told in pkgutil.iter_modules(package.__path__):
        module = importlib.import_module(f"{package.__name__}.{told.name}")
        if told.ispkg:
            yield from parsers(module, f"{told.name} ")
        else:
            parser = argparse.ArgumentParser()
            module.arguments(parser)
            yield f"{prefix}{told.name}", parser


def test_every_output_of_every_command_is_attacked():
    every = dict([*parsers(commands), *parsers(reproduction.commands)])
    options = [(name, action) for name, parser in every.items() for action in parser._actions]
    declared = {(name, a.option_strings[0]) for name, a in options if isinstance(a, OutputFile)}
    attacked = {(" ".join(name.split()[: 1 + (name.split()[0] in GROUPS)]), option) for name, option, _ in WRITING}
    assert attacked - {("table", "--sums")} == declared  # which every command has
    folders = {" ".join(words.split()[:2]) for words in FOLDERS}
    out = {name for name, p in every.items() if "--out" in p._option_string_actions}
    assert out - {name for name, option in declared if option == "--out"} == folders


PATHS = [*commands.__path__, *reproduction.commands.__path__]
GROUPS = {told.name for told in pkgutil.iter_modules(PATHS) if told.ispkg}


def refused(arguments, capsys) -> str:
    """The one sentence that a command ends with."""
    capsys.readouterr()
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1, captured.err
    assert "Traceback" not in captured.err
    return captured.err


def everything(folder):
    """Every name in a folder with what it is and holds."""
    return {
        path.name: (path.lstat().st_mode, path.lstat().st_ino, path.read_bytes() if path.is_file() else None)
        for path in folder.iterdir()
    }


# -- places that are no files -----------------------------------------------------------------------------------------


def listening(path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path.name)  # relative, for such names are short


PLACES = {
    "a folder": Path.mkdir,
    "a device": lambda path: path.symlink_to("/dev/null"),
    "a pipe": os.mkfifo,
    "a socket": listening,
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "its links lead in a circle": lambda path: path.symlink_to(path.name),
}


@EACH
@pytest.mark.parametrize("kind", PLACES)
def test_only_regular_files_are_replaced(words, option, ending, kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    target = tmp_path / f"x{ending}"
    PLACES[kind](target)
    before = everything(tmp_path)
    message = refused([*words.format(t=tmp_path, i=tmp_path / "input").split(), option, str(target)], capsys)
    assert target.name in message
    assert kind in message
    assert everything(tmp_path) == before


TAKEN = {
    **PLACES,
    "a file": Path.touch,
    "a link to a folder": lambda path: [path.with_name("there").mkdir(), path.symlink_to("there")],
    "a folder that holds something": lambda path: (path / "precious").mkdir(parents=True),
    "a folder with a hidden file": lambda path: [path.mkdir(), (path / ".x").touch()],
}
del TAKEN["a folder"]  # an empty one is filled


@pytest.mark.parametrize("words", FOLDERS)
@pytest.mark.parametrize("kind", TAKEN)
def test_no_folder_takes_the_place_of_anything(words, kind, tmp_path, monkeypatch, capsys):
    """Nor is the data file where it was looked for, or its ledger, made: this is seen before anything is read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input").write_text("a\ny\n", encoding="utf-8")
    TAKEN[kind](tmp_path / "out")
    before = everything(tmp_path)
    message = refused([*words.format(t=tmp_path, i="input").split(), "--out", "out"], capsys)
    assert "out " in message or "x.yaml" in message or "kept" in message
    assert everything(tmp_path) == before


@EACH
def test_endings_are_checked_in_every_command(words, option, ending, tmp_path, capsys):
    command = words.format(t=tmp_path, i=tmp_path / "input").split()
    message = refused([*command, option, str(tmp_path / "x.txt")], capsys)
    assert "x.txt has another ending; this command writes" in message
    assert ending in message
    assert everything(tmp_path) == {}


def test_a_link_is_followed_to_its_file_and_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there/a.yaml").write_text("old", encoding="utf-8")
    (tmp_path / "a.yaml").symlink_to("there/a.yaml")
    assert main(["config", "--out", str(tmp_path / "a.yaml")]) == 0
    assert (tmp_path / "a.yaml").is_symlink()
    assert (tmp_path / "there/a.yaml").read_text(encoding="utf-8").startswith("seed:")
    assert sorted(everything(tmp_path / "there")) == ["a.yaml"]


def test_the_other_names_of_a_file_keep_what_it_held(tmp_path):
    (tmp_path / "a.yaml").write_text("old", encoding="utf-8")
    (tmp_path / "b.yaml").hardlink_to(tmp_path / "a.yaml")
    assert main(["config", "--out", str(tmp_path / "a.yaml")]) == 0
    assert (tmp_path / "b.yaml").read_text(encoding="utf-8") == "old"


def test_what_becomes_a_folder_meanwhile_leaves_nothing_half_written(tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    with pytest.raises(InputError, match=r"b\.csv is a folder"), files.staged(first, second):
        second.mkdir()
    assert sorted(everything(tmp_path)) == ["b.csv"]


def test_a_ledger_is_a_regular_file_whose_rights_alone_are_changed(tmp_path):
    """A budget that nothing keeps would never be used up; and as root, a device would become its owner's alone."""
    os.mkfifo(tmp_path / "l", 0o644)
    before = mode(tmp_path / "l")
    with pytest.raises(InputError, match="is a pipe or a device"):
        Budget.open(tmp_path / "l", Pure(1.0))
    assert mode(tmp_path / "l") == before


# -- outputs that are inputs ------------------------------------------------------------------------------------------


@each([case for case in WRITING if "{i}" in case[0]])
@pytest.mark.parametrize("spelling", ["input", "there/../input", "link", "here/input", "hard"])
def test_no_output_is_an_input_under_any_name(words, option, ending, spelling, tmp_path, capsys):
    source = tmp_path / f"input{ending}"
    source.write_text("precious", encoding="utf-8")
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to(".")
    (tmp_path / f"link{ending}").symlink_to(source.name)
    (tmp_path / f"hard{ending}").hardlink_to(source)
    target = tmp_path / f"{spelling}{ending}"
    assert "would replace" in refused([*words.format(t=tmp_path, i=source).split(), option, str(target)], capsys)
    assert source.read_text(encoding="utf-8") == "precious"


def test_two_names_of_one_place_are_not_two_outputs(tmp_path, capsys):
    (tmp_path / "there").symlink_to(".")
    outs = ["--out", str(tmp_path / "a.csv"), "--liars", str(tmp_path / "there" / "a.csv")]
    assert "is named for two outputs" in refused(["audit", *outs], capsys)


def test_noisy_counts_do_not_replace_the_counts_for_lack_of_a_name(tmp_path, capsys):
    counts = tmp_path / "a.noisy.npz"
    counts.write_bytes((counts_of_simulated(tmp_path)).read_bytes())
    command = f"warlogs model --counts {counts} --epsilon 1 --budget 1 --out {tmp_path}/a.json"
    before = counts.read_bytes()
    assert "would replace" in refused(command.split(), capsys)
    assert counts.read_bytes() == before


def counts_of_simulated(folder):
    from dpsampling.event_logs import counts, schema

    path = folder / "simulated.npz"
    counts.put(path, counts.of_log(schema.load("afghanistan", {"published": None}), seed=1, rows=0.02))
    return path


def test_a_table_does_not_replace_what_the_schema_or_the_provenance_names(tmp_path, capsys):
    made(tmp_path / "t.csv")
    beside = tmp_path / "t.provenance.json"
    (tmp_path / "c.csv").symlink_to(beside.name)
    before = beside.read_bytes()
    command = ["claims", "fig5_3", "--table", str(tmp_path / "t.csv"), "--out", str(tmp_path / "c.csv")]
    assert "would replace" in refused(command, capsys)
    assert beside.read_bytes() == before


# -- rights -----------------------------------------------------------------------------------------------------------


SHOWN = "--figure {}/figures/fig5_3.png --figure {}/figures/fig5_3.pdf --claims {}/claims/fig5_3.csv"
SHOWN += " --errata {}/errata/fig5_3.csv --ledger {}/ledger/fig5_3.csv"


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    path = tmp_path_factory.mktemp("raw") / "raw.csv"
    assert main(["warlogs", *f"simulate afghanistan --rows 0.02 --seed 5 --out {path}".split()]) == 0
    return path


@pytest.mark.parametrize(("given", "expected"), [(0o600, 0o600), (0o640, 0o640), (0o644, 0o644), (0o666, 0o644)])
def test_what_is_made_from_rows_takes_no_more_rights_than_they_have(given, expected, raw, tmp_path):
    (tmp_path / "raw.csv").write_bytes(raw.read_bytes())
    (tmp_path / "raw.csv").chmod(given)
    before = os.umask(0o022)
    try:
        for command in (
            "count afghanistan --set file={}/raw.csv --out {}/counts.npz --table {}/counts.csv --report {}/told.json",
            "count afghanistan --raw {}/raw.csv --part --out {}/part.npz",
            "count afghanistan --parts {}/part.npz --out {}/again.npz --report {}/again.json --sums {}/again.sha256",
            "fit --counts {}/counts.npz --epsilon 2 --set iterations=12 --set burn_in=8 --set splits=2"
            " --out {}/new/scores.csv",
        ):
            assert main(["warlogs", *command.replace("{}", str(tmp_path)).split()]) == 0
    finally:
        os.umask(before)
    made = [path for path in tmp_path.rglob("*.*") if path.name != "raw.csv"]
    assert len(made) == 8
    assert {mode(path) for path in made} == {expected}
    assert mode(tmp_path / "new") & 0o055 == (expected & 0o044) | (expected & 0o044) >> 2


@pytest.fixture
def usual_rights():
    before = os.umask(0o022)
    yield
    os.umask(before)


def closed_counts(folder):
    path = counts_of_simulated(folder)
    path.chmod(0o600)
    return path


@pytest.mark.usefixtures("usual_rights")
def test_what_noise_was_added_to_may_be_read_by_all(tmp_path):
    model = f"--epsilon 2 --budget 2 --states 1 --out {tmp_path}/m.json"
    assert main(f"warlogs model --counts {closed_counts(tmp_path)} {model}".split()) == 0
    assert {mode(tmp_path / name) for name in ("m.json", "m.noisy.npz")} == {0o644}
    assert mode(tmp_path / "simulated.npz.ledger") == 0o600


@pytest.mark.usefixtures("usual_rights")
def test_tables_and_pages_of_closed_files_are_closed_too(tmp_path):
    table = tmp_path / "tables" / "t.csv"
    settings = ["--set=rows=0.02", "--set=iterations=12", "--set=burn_in=8", "--counts", str(closed_counts(tmp_path))]
    assert main(["table", "fig4_7", "--set=log=afghanistan", "--set=states=2", *settings, "--out", str(table)]) == 0
    assert main(["claims", "fig4_7", "--table", str(table), "--out", str(tmp_path / "claims.csv")]) == 0
    assert main(["report", "--results", str(tmp_path), "--out", str(tmp_path / "report.html")]) == 0
    made = [table, files.sidecar(table), tmp_path / "claims.csv", tmp_path / "report.html"]
    assert {mode(path) for path in made} == {0o600}


@pytest.mark.usefixtures("usual_rights")
def test_what_is_gathered_of_closed_files_is_closed_too(tmp_path):
    tree = tmp_path / "results"
    made(tree / "tables/fig5_3.csv")
    (tree / "tables/fig5_3.csv").chmod(0o600)
    assert main(f"show fig5_3 --table {tree}/tables/fig5_3.csv {SHOWN.replace('{}', str(tree))}".split()) == 0
    for name in ("audit.csv", "liars.csv"):
        (tree / name).write_text("mechanism\nx\n", encoding="utf-8")
    collect = ["collect", "fig5_3", "--results", str(tree), "--effective", "{}", "--sums", str(tree / "sums/r.sha256")]
    assert main(collect) == 0
    assert main(["perturb", "fig5_3", "--results", str(tree), "--out", str(tree / "perturbed.csv")]) == 0
    told = ("claims.csv", "errata.csv", "errata.md", "ledger.csv", "report.html", "perturbed.csv")
    assert {name: oct(mode(tree / name)) for name in told} == dict.fromkeys(told, "0o600")
    assert {mode(path) for path in tree.rglob("fig5_3.*") if "provenance" not in path.name} == {0o600}


@pytest.mark.usefixtures("usual_rights")
def test_a_release_may_be_read_by_all_and_a_simulation_of_one_may_not(solved, tmp_path):
    stream = tmp_path / "stream.csv"
    stream.write_text("profile,observation\nann,tea\n", encoding="utf-8")
    stream.chmod(0o600)
    given = ["--mechanism", str(solved), "--observations", str(stream)]
    assert main(["profiles", "release", *given, "--out", str(tmp_path / "r.csv")]) == 0
    assert main(["profiles", "simulate", *given, "--seed", "1", "--out", str(tmp_path / "s.csv")]) == 0
    assert (mode(tmp_path / "r.csv"), mode(tmp_path / "s.csv")) == (0o644, 0o600)


def test_who_is_in_another_group_is_of_the_others():
    def denied(rights, group):
        return files._denied(os.stat_result((rights, 0, 0, 1, 0, group, 0, 0, 0, 0)))

    own, other = os.getegid(), os.getegid() + 1
    assert [oct(denied(rights, own)) for rights in (0o664, 0o644, 0o640, 0o600)] == ["0o2", "0o22", "0o27", "0o77"]
    assert [oct(denied(rights, other)) for rights in (0o664, 0o660, 0o600)] == ["0o22", "0o77", "0o77"]


# -- standard output --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solved")
    (folder / "P.csv").write_text(PROFILES, encoding="utf-8")
    (folder / "E.csv").write_text(EDGES, encoding="utf-8")
    (folder / "stream.csv").write_text("profile,observation\nann,tea\n", encoding="utf-8")
    (folder / "kernel.csv").write_text(".5,.5\n.4,.6\n", encoding="utf-8")
    command = ["profiles", "solve", "--profiles", f"{folder}/P.csv", "--edges", f"{folder}/E.csv", "--epsilon", "1"]
    assert main([*command, "--out", str(folder / "m.json")]) == 0
    return folder / "m.json"


PRINTING = {
    "--version": "--version",
    "--help": "table --help",
    "list": "list fig5_3",
    "list -v": "list -v fig5_3",
    "kernel": "amplification kernel --kernel {}/kernel.csv --epsilon 1",
    "solve": "profiles solve --profiles {}/P.csv --edges {}/E.csv --epsilon 1",
    "release": "profiles release --mechanism {}/m.json --observations {}/stream.csv",
    "simulate": "profiles simulate --mechanism {}/m.json --observations {}/stream.csv --seed 1",
}
LOST = {
    "full": ("/dev/full", "(the disk is full)"),
    "without a reader": (None, "(Broken pipe)"),
    "closed": ("-", "standard output is closed"),
}


@pytest.mark.parametrize("command", PRINTING)
@pytest.mark.parametrize("how", LOST)
def test_what_cannot_be_printed_is_one_sentence(command, how, solved):
    place, words = LOST[how]
    run = [sys.executable, "-m", "dpsampling", *PRINTING[command].format(*[solved.parent] * 2).split()]
    if place is None:
        reader, writer = os.pipe()
        os.close(reader)
    else:
        writer = os.open(os.devnull if place == "-" else place, os.O_WRONLY)
    words_of = ["sh", "-c", 'exec "$@" >&-', "sh", *run] if place == "-" else run
    done = subprocess.run(words_of, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.returncode == 2
    assert done.stderr.startswith("dpsampling: standard output")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_who_prints_nothing_needs_no_standard_output(tmp_path):
    run = [sys.executable, "-m", "dpsampling", "config", "--out", str(tmp_path / "c.yaml")]
    assert subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *run], check=False).returncode == 0
    assert (tmp_path / "c.yaml").read_text(encoding="utf-8").startswith("seed:")


def test_a_character_that_the_terminal_lacks_is_one_sentence():
    run = [sys.executable, "-m", "dpsampling", "list"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(run, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "set PYTHONIOENCODING=utf-8" in done.stderr


# -- sentences --------------------------------------------------------------------------------------------------------


def test_a_sentence_is_one_line_of_printable_text_whatever_it_quotes(tmp_path, capsys):
    assert str(InputError("a\nb\r\n\tc\x1b[31m\x00d")) == "a b c\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}d"
    assert "a b" in refused(["list", "a\n\nb"], capsys)


@pytest.mark.parametrize("command", ["figure fig5_3 --table {} --out x.pdf", "claims fig5_3 --table {} --out x.csv"])
@pytest.mark.parametrize("text", ["a,b\n1,2,3\n4,5,6,7\n", 'a,b\n1,"2\n'])
def test_what_pandas_says_in_two_lines_is_one(command, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    refused(command.format("t.csv").split(), capsys)


REASONS = {
    errno.ENOSPC: ("the disk is full", "make room there"),
    errno.EDQUOT: ("your share of the disk is used up", "make room there"),
    errno.EROFS: ("the disk can only be read", "another disk"),
    errno.EMFILE: ("too many files are open", "ulimit -n"),
    errno.ENFILE: ("too many files are open", "try again"),
    errno.EFBIG: ("it grows larger than is allowed", "ulimit -f"),
    errno.EACCES: ("Permission denied", "a folder you own"),
}


@pytest.mark.parametrize("number", REASONS, ids=errno.errorcode.get)
@pytest.mark.parametrize("step", ["mkstemp", "replace"])
def test_a_full_disk_is_called_so_and_no_folder_of_another(number, step, tmp_path, monkeypatch, capsys):
    def fail(*arguments, **options):
        raise OSError(number, os.strerror(number), None)

    monkeypatch.setattr(*((tempfile, "mkstemp") if step == "mkstemp" else (Path, "replace")), fail)
    message = refused(["config", "--out", str(tmp_path / "x.yaml")], capsys)
    assert "x.yaml cannot be written" in message
    assert all(words in message for words in REASONS[number])
    assert everything(tmp_path) == {}


def test_a_name_that_is_too_long_is_called_so(tmp_path, capsys):
    message = refused(["config", "--out", str(tmp_path / f"{'x' * 300}.yaml")], capsys)
    assert "its name is too long); give it a shorter one" in message


def test_a_file_that_the_system_cuts_off_leaves_nothing(tmp_path):
    run = [sys.executable, "-m", "dpsampling", "config", "--out", str(tmp_path / "x.yaml")]
    limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))}
    limited["env"] = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(run, stderr=subprocess.PIPE, text=True, check=False, **limited)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "it grows larger than is allowed" in done.stderr
    assert everything(tmp_path) == {}


def test_a_ledger_on_a_full_disk_is_called_so(tmp_path, monkeypatch):
    def fail(*arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "mkstemp", fail)
    with pytest.raises(InputError, match=r"\(the disk is full\), so nothing is released; make room there"):
        Budget.open(tmp_path / "l", Pure(1.0))


# -- figures ----------------------------------------------------------------------------------------------------------


def made(table):
    """A table of a second, with its provenance."""
    settings = [f"--set={option}" for option in parsing.settings(project.experiment("fig5_3").smallest)]
    assert main(["table", "fig5_3", *settings, "--out", str(table)]) == 0


TITLES = [r"$\foo{$", "$", "$$", r"costs $5 and $6", r"\$x$", "a_b^c{", "%s {x} {0}", "\\"]


@pytest.mark.parametrize("title", TITLES)
def test_titles_are_drawn_as_they_are(title, tmp_path):
    """Dollars begin no formula, and backslashes are no commands."""
    from matplotlib.text import Text

    from reproduction.stages import figure as stage

    table = pd.DataFrame({"region": [title, "b"], "month": ["2004-01"] * 2, "state": [1, 2], "frequency": [1.0, 0.5]})
    table.attrs["inputs"] = {title: {"title": title, "origin": "simulated"}}
    parameters = {"view": "states", "log": title, "variant": "clip", "epsilon": 1.0}
    drawn = stage.draw("warlogs.pictures", table, parameters)
    from dpsampling.release import style

    style.save(drawn, tmp_path / "f.png")
    shown = [text.get_text().replace(r"\$", "$") for text in drawn.findobj(Text)]
    assert title in shown  # of the region
    assert any(text.startswith(f"{title}: most frequent state") for text in shown)


def test_a_label_that_is_no_formula_is_refused(tmp_path, capsys, monkeypatch):
    made(tmp_path / "t.csv")
    broken = dataclasses.replace(styles.MECHANISMS["diffused"], label=r"$\foo{$")
    monkeypatch.setitem(styles.MECHANISMS, "diffused", broken)
    command = ["figure", "fig5_3", "--table", str(tmp_path / "t.csv"), "--out", str(tmp_path / "f.pdf")]
    assert r"f.pdf would have a text or number that cannot be drawn (\foo{); correct it" in refused(command, capsys)
    assert not (tmp_path / "f.pdf").exists()


@pytest.fixture(scope="module")
def costs(tmp_path_factory):
    """A table whose figure has logarithmic axes."""
    table = tmp_path_factory.mktemp("costs") / "t.csv"
    settings = [f"--set={option}" for option in parsing.settings(project.experiment("mcmc_costs").smallest)]
    assert main(["table", "mcmc_costs", *settings, "--out", str(table)]) == 0
    return pd.read_csv(table)


@pytest.mark.parametrize("value", ["-1", "0", "1e308", "-1e308", "inf"])
def test_numbers_that_no_axis_holds_are_drawn_or_refused_in_a_sentence(value, costs, tmp_path):
    """What is warned of is a line of the program's own."""
    table = tmp_path / "t.csv"
    costs.assign(**{name: float(value) for name in costs.select_dtypes("float")}).to_csv(table, index=False)
    run = [sys.executable, "-m", "dpsampling", "figure", "mcmc_costs", "--table", str(table)]
    done = captured([*run, "--out", str(tmp_path / "f.png")], cwd=tmp_path, seconds=60)
    assert done.returncode in {0, 2}
    assert (tmp_path / "f.png").exists() == (done.returncode == 0)
    assert all(line.startswith("dpsampling: ") for line in done.stderr.splitlines()), done.stderr


# -- profiles, private rows, braces -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"categories": [1, 2]},
        {"categories": [["tea"], ["coffee"]]},
        {"categories": {"tea": 1, "coffee": 2}, "mechanism": 5},
        {"mechanism": ["smooth"]},
        {"categories": [None, True]},
        {"edges": [[["ann"], "bob"]]},
        {"edges": [["ann"]]},
    ],
)
def test_names_in_a_mechanism_are_text(change, solved, tmp_path, capsys):
    told = json.loads(solved.read_text(encoding="utf-8")) | change
    told["sha256"] = _checksum({key: value for key, value in told.items() if key != "sha256"})
    (tmp_path / "m.json").write_text(json.dumps(told), encoding="utf-8")
    (tmp_path / "stream.csv").write_text(f"profile,observation\nann,{SECRET}\n", encoding="utf-8")
    given = ["--mechanism", str(tmp_path / "m.json"), "--observations", str(tmp_path / "stream.csv")]
    assert "does not hold a private mechanism" in refused(["profiles", "release", *given], capsys)


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        (f"profile,observation\nann,tea\n{SECRET},tea\n", "line 3, column 1"),
        (f"profile,observation\nann,{SECRET}\n", "line 2, column 2"),
        (f"profile,observation\nann,tea,{SECRET}\n", "line 2"),
        (f"{SECRET},tea\n", "does not begin with the line"),
        (f'profile,observation\nann,"{SECRET}\n', "line 2"),
        (f"profile,observation\nann,{SECRET}\udcff\n", "not a CSV file in UTF-8"),
    ],
)
def test_no_observation_is_quoted(rows, where, solved, tmp_path, capsys):
    (tmp_path / "stream.csv").write_bytes(rows.encode("utf-8", "surrogateescape"))
    given = ["--mechanism", str(solved), "--observations", str(tmp_path / "stream.csv")]
    message = refused(["profiles", "release", *given], capsys)
    assert where in message
    assert SECRET not in message
    assert "xff" not in message


@pytest.mark.parametrize(
    "rows", [f"coin,heads\n{SECRET},{SECRET}\n", f"coin,heads\n1,{SECRET}\xff\n", f"{SECRET}\n1\n"]
)
def test_no_row_of_a_data_set_is_quoted(rows, tmp_path, monkeypatch):
    from dpsampling.datasets import descriptions
    from reproduction.inputs import dataset

    told = {"title": "coins", "source": "ours", "columns": {"coin": "category", "heads": "number"}}
    monkeypatch.setattr(descriptions, "description", lambda name: told)
    (tmp_path / "coins.csv").write_bytes(rows.encode("latin-1"))
    with pytest.raises(InputError) as refusal:
        dataset.read("coins", tmp_path / "coins.csv")
    assert SECRET not in str(refusal.value)
    assert "xff" not in str(refusal.value)


@pytest.mark.parametrize("path", ["data/{x}.csv", "{", "a}b.csv"])
def test_braces_in_a_raw_path_are_refused_where_the_workflow_would_fill_them(path, tmp_path, capsys):
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(json.dumps({"logs": {"afghanistan": path}}), encoding="utf-8")
    outs = ["--out", str(tmp_path / "x.yaml")]
    assert "a path without braces" in refused(["config", "--config", str(overlay), *outs], capsys)
    schema = (PROJECT / "config/logs/afghanistan.yaml").read_text(encoding="utf-8")
    (tmp_path / "own.yaml").write_text(f"{schema}\nfile: '{path}'\n", encoding="utf-8")
    command = ["warlogs", "count", str(tmp_path / "own.yaml"), "--out", str(tmp_path / "x.npz")]
    assert "a path without braces" in refused(command, capsys)


def test_a_log_of_ones_own_is_no_output(tmp_path, capsys):
    (tmp_path / "own.yaml").write_text("{like: afghanistan}", encoding="utf-8")
    (tmp_path / "x.csv").symlink_to("own.yaml")
    command = ["warlogs", "simulate", str(tmp_path / "own.yaml"), "--out", str(tmp_path / "x.csv")]
    assert "would replace" in refused(command, capsys)
