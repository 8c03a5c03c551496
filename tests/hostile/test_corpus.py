"""Every hostile thing of the corpus, given to every command that reads such a thing; in the fast tests to some."""

import contextlib
import shutil
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from hostile import corpus_arguments, corpus_paths
from hostile.attempts import EXPECTED, Make, attempted, prepared
from hostile.corpus_archives import GZIP, NPZ
from hostile.corpus_json import JSON
from hostile.corpus_text import ANY, CSV, LEFT_OUT, MUST_BE_REFUSED, YAML
from hostile.readers import READERS, Reader

CORPUS: dict[str, Mapping[str, Callable[[bytes], bytes]]] = {
    "YAML": ANY | YAML,
    "CSV": ANY | CSV,
    "gzip": GZIP,
    "npz": NPZ,
    "JSON": JSON,
}
KINDS = {reader: kind for kind, readers in READERS.items() for reader in readers}
OUTPUTS = {reader.arguments[-1].partition(".")[2]: reader for reader in KINDS if "." in reader.arguments[-1]}


def pairs(hostile: Iterable[str], takers: Iterable[Any], fast: int) -> list[Any]:
    """Each that takes something with each hostile thing; all but one in `fast` of them among the slow tests."""
    return [
        pytest.param(taker, name, marks=[pytest.mark.slow] if (i + j) % fast else [], id=f"{shown(taker)}: {name}")
        for (i, name), (j, taker) in product(enumerate(hostile), enumerate(takers))
    ]


def shown(taker: Reader | str) -> str:
    """A reader by its name, a command line without what it writes."""
    return taker.name if isinstance(taker, Reader) else taker.partition(" --out")[0]


FILES = [pair for kind, readers in READERS.items() for pair in pairs(CORPUS[kind], readers, len(readers))]
NODES = pairs(corpus_paths.NODES, KINDS, 10)
WORDS = pairs(corpus_arguments.VALUES, corpus_arguments.LINES, 10)


KERNEL = ("amplification", "kernel", "--epsilon", "1", "--kernel")


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attempt")


def content(change: Callable[[bytes], bytes]) -> Make:
    """A file whose content is a change of the valid one's."""

    def make(path: Path, valid: bytes) -> None:
        path.write_bytes(change(valid))

    return make


def test_the_corpus_is_as_large_as_it_is_said_to_be():
    things = sum(len(cases) for cases in CORPUS.values()) + len(corpus_paths.NODES) + len(corpus_paths.NAMES)
    assert things + len(corpus_arguments.VALUES) >= 300
    assert len(FILES) + len(NODES) + len(WORDS) >= 3306


@pytest.mark.parametrize(("reader", "name"), FILES)
def test_a_hostile_file(reader, name, running, valid, folder, robustness):
    kind = KINDS[reader]
    with robustness(f"hostile {kind}", f"{reader.name}: {name}", EXPECTED) as attempt:
        prepared(folder, valid, reader, content(CORPUS[kind][name]))
        done = attempted(running, folder, reader.arguments, private=reader.private)
        refused = MUST_BE_REFUSED - (LEFT_OUT if reader.of_people else set())
        assert done.code == 2 or not (kind == "CSV" and name in refused), "it was taken for a table"
        attempt.seen, attempt.seconds = f"exit code {done.code}", f"{done.seconds:.1f}"


@pytest.mark.parametrize(("reader", "name"), NODES)
def test_a_hostile_thing_for_a_file(reader, name, running, valid, folder, robustness):
    with robustness("hostile paths", f"{reader.name}: {name}", EXPECTED) as attempt:
        prepared(folder, valid, reader, corpus_paths.NODES[name])
        done = attempted(running, folder, reader.arguments, private=reader.private)
        attempt.seen = f"exit code {done.code}"


@pytest.mark.parametrize("name", corpus_paths.OUTPUTS)
@pytest.mark.parametrize("ending", OUTPUTS)
def test_a_hostile_thing_for_an_output(ending, name, running, valid, folder, robustness):
    with robustness("hostile outputs", f"{ending}: {name}", "exit code 2, and it is what it was") as attempt:
        reader = OUTPUTS[ending]
        prepared(folder, valid, reader, content(bytes))
        corpus_paths.NODES[name](folder / f"out.{ending}", b"")
        done = attempted(running, folder, reader.arguments, private=reader.private)
        assert done.code == 2
        attempt.seen = f"exit code {done.code}"


@pytest.mark.parametrize("role", ["in", "out"])
@pytest.mark.parametrize("name", corpus_paths.NAMES)
def test_a_hostile_name(name, role, running, valid, folder, robustness):
    with robustness("hostile names", f"{name}, for what comes {role}", EXPECTED) as attempt:
        odd = f"{corpus_paths.NAMES[name]}.csv"
        shutil.copy(valid / "kernel.csv", folder)
        if role == "in":
            with contextlib.suppress(OSError):  # then it is not there, which is said
                (folder / odd).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(valid / "kernel.csv", folder / odd)
        read, out = (odd, "out.csv") if role == "in" else ("kernel.csv", odd)
        (folder / "a").mkdir(exist_ok=True)  # which one of the names goes through
        done = attempted(running, folder, [*KERNEL, read, "--out", out])
        assert done.code == (2 if "too long" in name else 0) or (name == "the longest name" and role == "out"), done.err
        attempt.seen = f"exit code {done.code}"


@pytest.mark.parametrize(("line", "name"), WORDS)
def test_a_hostile_word(line, name, running, valid, folder, robustness):
    with robustness("hostile words", f"{line}: {name}", EXPECTED) as attempt:
        prepared(folder, valid, Reader("", line, corpus_arguments.LINES[line]))
        done = attempted(running, folder, corpus_arguments.filled(line, corpus_arguments.VALUES[name]))
        attempt.seen, attempt.seconds = f"exit code {done.code}", f"{done.seconds:.1f}"


@pytest.mark.parametrize(
    ("liar", "words"),
    [
        ("fails", "a traceback"),
        ("waits", "it ended with hang"),
        ("computes", "it ended with SIGXCPU"),
        ("grows", "it ended with 1"),
        ("holds", "MB"),
        ("chatters", "no sentence, or one twice"),
        ("warns", "words that are no sentence of ours"),
        ("litters", "half.part was made, changed or removed"),
        ("spoils", "input was made, changed or removed"),
        ("tells", "a private row is quoted"),
    ],
)
def test_a_command_that_misbehaves_is_noticed(liar, words, running, folder):
    (folder / "input").write_text("as it was", encoding="utf-8")
    with pytest.raises(AssertionError, match=words):
        attempted(running, folder, [liar], private=True, program="liars", wall_seconds=1 if liar == "waits" else 60)
