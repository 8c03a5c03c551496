"""Random damage to what commands read and to their words, for a time; each attempt is made by a seed of its own.

The fast tests make the same attempts each time, so that what they say is about the code; the slow ones make new ones. A
failure names its seed. DPSAMPLING_FUZZ_SEED=N tries the same again from the start; a seed that once found something is
kept below, and tried each time.
"""

import os
import random
import secrets
import tempfile
import time
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path

import pytest

from hostile.attempts import attempted, prepared
from hostile.corpus_arguments import LINES
from hostile.forks import Forks
from hostile.mutations import DAMAGES, command
from hostile.readers import READERS, Reader
from robustness import Record

SECONDS = 10  # a kind, of six
SLOW_SECONDS = 100
MANY = 20  # failures, after which it is not worth going on
MOST = 150  # attempts of a kind in the fast tests
# Of each kind: seeds that found something once.
KEPT: dict[str, tuple[str, ...]] = {
    "CSV": ("626967943-681",),
    "npz": ("6527269-78", "105593260-91"),
    "JSON": ("59804359-128", "409620530-786", "611867003-162"),
}


def damaged_file(kind: str, seed: str, running: Forks, valid: Path, folder: Path) -> None:
    """One file of a kind, damaged, for one of its readers."""
    draw = random.Random(seed)
    reader = draw.choice(READERS[kind])

    def make(path: Path, whole: bytes) -> None:
        path.write_bytes(DAMAGES[kind](whole, draw))

    prepared(folder, valid, reader, make)
    attempted(running, folder, reader.arguments, private=reader.private)


def odd_words(kind: str, seed: str, running: Forks, valid: Path, folder: Path) -> None:
    """One command line with odd words."""
    line, words = command(random.Random(seed))
    prepared(folder, valid, Reader("", line, LINES[line]))
    attempted(running, folder, words)


TRIED: dict[str, Callable[[str, str, Forks, Path, Path], None]] = {
    **dict.fromkeys(DAMAGES, damaged_file),
    "words": odd_words,
}


@pytest.mark.parametrize("seconds", [SECONDS, pytest.param(SLOW_SECONDS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", TRIED)
def test_random_damage(kind: str, seconds: int, running: Forks, valid: Path, robustness: Record) -> None:
    fast = seconds == SECONDS
    base = os.environ.get("DPSAMPLING_FUZZ_SEED") or ("0" if fast else str(secrets.randbelow(10**9)))
    print(f"DPSAMPLING_FUZZ_SEED={base}")  # shown with a failure
    end, tried, failures = time.monotonic() + seconds, 0, dict[str, str]()
    with robustness("fuzz", f"{kind}, {seconds} s", "exit code 0 or 2, one sentence, nothing left") as attempt:
        for seed in chain(KEPT.get(kind, ()), (f"{base}-{i}" for i in count())):
            if time.monotonic() > end or len(failures) >= MANY or (fast and tried >= MOST):
                break
            tried += 1
            with tempfile.TemporaryDirectory() as folder:
                try:
                    TRIED[kind](kind, seed, running, valid, Path(folder))
                except AssertionError as error:
                    failures.setdefault(alike(str(error)), f"{kind} seed {seed!r}: {error}")
        attempt.seen = f"{len(failures)} kinds of failures in {tried} attempts, seed {base}"
        assert not failures, "\n\n".join(failures.values())


def alike(failure: str) -> str:
    """What failures have in common that have one cause: the last two lines, without what stands in quotes."""
    return "".join(failure.splitlines()[-2:]).partition("'")[0]


def test_a_seed_makes_the_same_attempt_again(valid: Path) -> None:
    for kind, damage in DAMAGES.items():
        whole = (valid / READERS[kind][0].file).read_bytes()
        assert [damage(whole, random.Random(str(i))) for i in range(50)] == [
            damage(whole, random.Random(str(i))) for i in range(50)
        ]
    assert [command(random.Random(i)) for i in range(50)] == [command(random.Random(i)) for i in range(50)]
