"""`dpsampling profiles solve` and `release`: a mechanism for a graph of one's own, and a stream through it."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TextIO

from dpsampling import files
from dpsampling.errors import InputError
from dpsampling.files import regular_files
from dpsampling.numerics.arrays import Indices
from dpsampling.numerics.randomness import stream
from dpsampling.profiles.files import document, observations, read_graph, read_mechanism
from dpsampling.profiles.graph import check_epsilon
from dpsampling.profiles.mechanism import ProfileMechanism
from dpsampling.profiles.solvers import MECHANISMS, smooth_categorical, smooth_one_bit

Draw = Callable[[Sequence[int], Sequence[int]], Indices]

SMOOTH = {"smooth": smooth_categorical, "smooth-one-bit": smooth_one_bit}
_BATCH = 65536  # lines that are drawn together where the input is a file


def solve(profiles: Path, edges: Path, epsilon: str, mechanism: str, lexicographic: bool, out: Path | None) -> str:
    """Write the mechanism of a graph and say what it is; without `out`, the mechanism is what is said."""
    level = check_epsilon(_level(epsilon))
    if lexicographic and mechanism not in SMOOTH:
        raise InputError(f"--lexicographic needs a smooth mechanism, not {mechanism}; leave one of them out.")
    graph = read_graph(profiles, edges)
    try:
        solved = (
            SMOOTH[mechanism](graph, level, lexicographic=True)
            if lexicographic
            else MECHANISMS[mechanism](graph, level)
        )
    except ArithmeticError as error:
        raise InputError(f"{error}; another epsilon, or --mechanism randomized-response, will do.") from error
    if out is None:
        return document(solved)
    files.write_text(out, document(solved))
    return (
        f"{out}: {solved.kind} for {len(graph.names)} profiles and {len(graph.edges)} edges, verified ε = "
        f"{solved.verified_epsilon:.6g} (asked {level:g}), largest flip {solved.largest_flips.max():.6g}\n"
    )


def release(mechanism: Path, source: Path | None, out: Path | None) -> None:
    """Privatise lines `profile,observation` into lines of releases.

    To a file, all of them or none; to standard output, each as soon as it is read.
    """
    read = read_mechanism(mechanism)
    _pass_through(read, source, out, read.release)


def simulate(mechanism: Path, source: Path | None, out: Path | None, seed: int) -> None:
    """The same, repeatable: it protects nothing."""
    read = read_mechanism(mechanism)
    _pass_through(read, source, out, partial(read.simulate, rng=stream(seed, "profiles release")))


def _pass_through(read: ProfileMechanism, source: Path | None, out: Path | None, draw: Draw) -> None:
    with _source(source) as (lines, where):
        pairs = observations(lines, where, read)
        if out is None:
            for text in _released(read, pairs, 1 if source is None else _BATCH, draw):
                sys.stdout.write(text)
                sys.stdout.flush()
        else:
            with files.atomic_path(out) as staged, staged.open("w", encoding="utf-8", newline="\n") as target:
                target.writelines(_released(read, pairs, _BATCH, draw))


def _released(read: ProfileMechanism, pairs: Iterator[tuple[int, int]], batch: int, draw: Draw) -> Iterator[str]:
    """The header, then one line a release; the profile is what is secret, so it does not stand there."""
    yield "release\n"
    while taken := list(islice(pairs, batch)):
        profile, observed = zip(*taken, strict=True)
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerows([read.graph.categories[y]] for y in draw(profile, observed))
        yield text.getvalue()


@contextmanager
def _source(source: Path | None) -> Iterator[tuple[TextIO, str]]:
    if source is None and sys.stdin is None:
        raise InputError("standard input is closed; name a CSV file with --observations.")
    if source is None:
        yield sys.stdin, "standard input"
        return
    try:
        lines = io.TextIOWrapper(regular_files.opened(source), encoding="utf-8-sig", newline="")
    except OSError as error:
        raise InputError(f"{source} cannot be read ({error.strerror}); name a CSV file.") from error
    with lines:
        yield lines, str(source)


def _level(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"epsilon is '{text}'; it must be a number above 0.") from None
