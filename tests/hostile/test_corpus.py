"""Every hostile thing of the corpus, given to every command that reads such a thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from hostile import corpus_arguments, corpus_paths
from hostile.attempts import EXPECTED, Make, attempted, prepared
from hostile.corpus_archives import GZIP, NPZ
from hostile.corpus_json import JSON
from hostile.corpus_text import ANY, CSV, MUST_BE_REFUSED, YAML
from hostile.forks import Forks, forks
from hostile.readers import READERS, Reader, make_valid
from robustness import Record

CORPUS: dict[str, Mapping[str, Callable[[bytes], bytes]]] = {
    "YAML": ANY | YAML,
    "CSV": ANY | CSV,
    "gzip": GZIP,
    "npz": NPZ,
    "JSON": JSON,
}
FILES = [(kind, reader, name) for kind, readers in READERS.items() for reader in readers for name in CORPUS[kind]]
NODES = [(reader, name) for readers in READERS.values() for reader in readers for name in corpus_paths.NODES]


@pytest.fixture(scope="module")
def running() -> Iterator[Forks]:
    with forks() as program:
        yield program


@pytest.fixture(scope="module")
def valid(running: Forks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("valid")
    make_valid(folder, running)
    return folder


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attempt")


def content(change: Callable[[bytes], bytes]) -> Make:
    """A file whose content is a change of the valid one's."""

    def make(path: Path, valid: bytes) -> None:
        path.write_bytes(change(valid))

    return make


def test_the_corpus_is_as_large_as_it_is_said_to_be() -> None:
    things = sum(len(cases) for cases in CORPUS.values()) + len(corpus_paths.NODES) + len(corpus_paths.NAMES)
    assert things + len(corpus_arguments.VALUES) >= 300
    assert len(FILES) + len(NODES) + len(corpus_arguments.LINES) * len(corpus_arguments.VALUES) >= 3306


@pytest.mark.parametrize(("kind", "reader", "name"), FILES, ids=lambda value: getattr(value, "name", value))
def test_a_hostile_file(
    kind: str, reader: Reader, name: str, running: Forks, valid: Path, folder: Path, robustness: Record
) -> None:
    with robustness(f"hostile {kind}", f"{reader.name}: {name}", EXPECTED) as attempt:
        prepared(folder, valid, reader, content(CORPUS[kind][name]))
        done = attempted(running, folder, reader.arguments, private=reader.private)
        assert done.code == 2 or not (kind == "CSV" and name in MUST_BE_REFUSED), "it was taken for a table"
        attempt.seen, attempt.seconds = f"exit code {done.code}", f"{done.seconds:.1f}"


@pytest.mark.parametrize(("reader", "name"), NODES, ids=lambda value: getattr(value, "name", value))
def test_a_hostile_thing_for_a_file(
    reader: Reader, name: str, running: Forks, valid: Path, folder: Path, robustness: Record
) -> None:
    with robustness("hostile paths", f"{reader.name}: {name}", EXPECTED) as attempt:
        prepared(folder, valid, reader, corpus_paths.NODES[name])
        done = attempted(running, folder, reader.arguments, private=reader.private)
        attempt.seen = f"exit code {done.code}"


OUTPUTS = {reader.arguments[-1].partition(".")[2]: reader for kind in READERS.values() for reader in kind}


@pytest.mark.parametrize("name", corpus_paths.OUTPUTS)
@pytest.mark.parametrize("ending", OUTPUTS)
def test_a_hostile_thing_for_an_output(
    ending: str, name: str, running: Forks, valid: Path, folder: Path, robustness: Record
) -> None:
    with robustness("hostile outputs", f"{ending}: {name}", "exit code 2, and it is what it was") as attempt:
        reader = OUTPUTS[ending]
        prepared(folder, valid, reader, content(bytes))
        corpus_paths.NODES[name](folder / f"out.{ending}", b"")
        done = attempted(running, folder, reader.arguments, private=reader.private)
        assert done.code == 2
        attempt.seen = f"exit code {done.code}"


@pytest.mark.parametrize("role", ["in", "out"])
@pytest.mark.parametrize("name", corpus_paths.NAMES)
def test_a_hostile_name(name: str, role: str, running: Forks, valid: Path, folder: Path, robustness: Record) -> None:
    with robustness("hostile names", f"{name}, for what comes {role}", EXPECTED) as attempt:
        odd = f"{corpus_paths.NAMES[name]}.csv"
        (folder / "other.csv").write_bytes((valid / "other.csv").read_bytes())
        if role == "in":
            try:
                (folder / odd).parent.mkdir(parents=True, exist_ok=True)
                (folder / odd).write_bytes((valid / "claims.csv").read_bytes())
            except OSError:
                pass  # then it is not there, which is said
        read = odd if role == "in" else "other.csv"
        (folder / "a").mkdir(exist_ok=True)  # which one of the names goes through
        done = attempted(running, folder, ["gather", "other.csv", read, "--out", odd if role == "out" else "out.csv"])
        long = "long" in name and "longest" not in name
        assert done.code == (2 if long else 0), done.err
        attempt.seen = f"exit code {done.code}"


@pytest.mark.parametrize("line", corpus_arguments.LINES)
def test_hostile_words(line: str, running: Forks, valid: Path, folder: Path, robustness: Record) -> None:
    faults = []
    for name, value in corpus_arguments.VALUES.items():
        place = folder / name
        place.mkdir()
        reader = Reader("none", line, corpus_arguments.LINES[line])
        with robustness("hostile words", f"{line}: {name}", EXPECTED) as attempt:
            (valid / "none").touch()
            prepared(place, valid, reader, lambda path, content: None)
            try:
                done = attempted(running, place, corpus_arguments.filled(line, value))
                attempt.seen, attempt.seconds = f"exit code {done.code}", f"{done.seconds:.1f}"
            except AssertionError as error:
                attempt.seen, attempt.ok = "AssertionError", "no"
                faults.append(f"{name}: {error}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("liar", "words"),
    [
        ("fails", "a traceback"),
        ("waits", "it ended with hang"),
        ("computes", "it ended with SIGXCPU"),
        ("grows", "it ended with 1"),
        ("holds", "MB"),
        ("chatters", "2 lines for one sentence"),
        ("warns", "words that are no sentence of ours"),
        ("litters", "half.part was made, changed or removed"),
        ("spoils", "input was made, changed or removed"),
        ("tells", "a private row is quoted"),
    ],
)
def test_a_command_that_misbehaves_is_noticed(liar: str, words: str, running: Forks, folder: Path) -> None:
    (folder / "input").write_text("as it was", encoding="utf-8")
    with pytest.raises(AssertionError, match=words):
        attempted(running, folder, [liar], private=True, program="liars", wall_seconds=1 if liar == "waits" else 60)
