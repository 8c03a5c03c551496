"""Record a release, and replay it on a neighbouring data set with its random bits frozen.

Whatever can be seen of a release besides its numbers must not depend on the data: which instructions of this library
run, how often random bits are asked for, the shape of what comes back, messages, errors, names of files. Two records of
neighbouring data sets that differ in any of it are a finding, except inside functions marked `data_dependent`, whose
course may depend on the data for the reason they state: rejection loops, and what is computed of released numbers.

For tests only: while a record is taken, the operating system's bits are replaced by ones that anybody can compute.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from unittest import mock

import numpy as np

from dpsampling.numerics.exact.data_dependent import DATA_DEPENDENT
from dpsampling.numerics.exact.fixed_point import FixedPoint

LIBRARY = str(Path(__file__).parents[2])
Action = Callable[[], object]
Step = tuple[CodeType, int]


class FrozenBits:
    """A tape's bits as a function of a seed and of their place, however many are asked for: see `tape.BitSource`."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, place: tuple[int, int], known: int, more: int) -> int:
        """The bits from `known` on."""
        total = known + more
        stream = hashlib.shake_256(f"{self._seed}/{place[0]}/{place[1]}".encode()).digest((total + 7) // 8)
        return (int.from_bytes(stream, "big") >> (-total % 8)) & ((1 << more) - 1)


@dataclass(frozen=True)
class Record:
    """What can be seen of one run."""

    course: tuple[Step, ...]  # instructions of this library, by code and offset
    reads: tuple[int, ...]  # how many random bytes were asked for each time, outside `data_dependent` functions
    outcome: object  # the shape of what came back, or the error
    printed: str
    files: tuple[str, ...]  # opened for writing, made, renamed or removed


def findings(first: Action, second: Action, seed: int = 0) -> list[str]:
    """Return what tells a run of `first` from a run of `second`, in words; nothing, if all is well.

    Both run once before, so that what is computed on first use is there; `first` is recorded twice, since what is not
    the same for the same data tells nothing of them.
    """
    for action in (first, second):
        record(action, seed)
    one, again, other = record(first, seed), record(first, seed), record(second, seed)
    unsteady = differences(one, again)
    if unsteady:
        return [f"not repeatable: {found}" for found in unsteady]
    return differences(one, other)


def differences(one: Record, other: Record) -> list[str]:
    """Return what tells two records apart."""
    found = []
    if one.course != other.course:
        found.append(f"the course differs: {_parting(one.course, other.course)}")
    if one.reads != other.reads:
        found.append(f"random bytes differ: {sum(one.reads)} and {sum(other.reads)}")
    if one.outcome != other.outcome:
        found.append(f"what comes back differs: {one.outcome} and {other.outcome}")
    if one.printed != other.printed:
        found.append(f"messages differ: {one.printed!r} and {other.printed!r}")
    if one.files != other.files:
        found.append(f"files differ: {sorted(set(one.files) ^ set(other.files)) or 'their order'}")
    return found


def record(action: Action, seed: int = 0) -> Record:
    """Run it on frozen bits."""
    course: list[Step] = []
    reads: list[int] = []
    files: list[str] = []
    printed = io.StringIO()
    with (
        _tracing(course) as outside,
        mock.patch("os.urandom", bits := _frozen(seed, reads, outside)),
        mock.patch("random._urandom", bits),  # where `secrets` reads them, and NumPy a generator's seed
        mock.patch("tempfile._name_sequence", map("frozen{}".format, itertools.count())),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        _watching_files(files),
    ):
        try:
            outcome = shape_of(action())
        except Exception as error:  # an error is something that is seen
            outcome = type(error).__name__, str(error)
    return Record(tuple(course), tuple(reads), outcome, printed.getvalue(), tuple(files))


def shape_of(value: object) -> object:
    """Return what can be seen of a value besides its numbers."""
    if isinstance(value, FixedPoint):
        return "fixed point", value.shape, value.exponent
    if isinstance(value, np.ndarray):
        return "array", str(value.dtype), value.shape
    if isinstance(value, Mapping):
        return {str(name): shape_of(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(shape_of(item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: shape_of(getattr(value, field.name)) for field in fields(value)}
    return value if isinstance(value, str | bool | None) else type(value).__name__


def _frozen(seed: int, reads: list[int], outside: Callable[[], bool]) -> Callable[[int], bytes]:
    calls = 0

    def urandom(count: int) -> bytes:
        nonlocal calls
        calls += 1
        if outside():
            reads.append(count)
        return hashlib.shake_256(f"{seed}/{calls}".encode()).digest(count)

    return urandom


def _parting(one: tuple[Step, ...], other: tuple[Step, ...]) -> str:
    i = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    before = f" after {_place(one[i - 1])}" if i else ""
    first, second = (_place(course[i]) if i < len(course) else "the end" for course in (one, other))
    return f"{first} and {second}{before}"


def _place(step: Step) -> str:
    code, offset = step
    lines = [line for start, end, line in code.co_lines() if start <= offset < end and line is not None]
    return f"{Path(code.co_filename).relative_to(LIBRARY)}:{lines[-1] if lines else code.co_firstlineno}"


@contextlib.contextmanager
def _tracing(course: list[Step]) -> Iterator[Callable[[], bool]]:
    """Every instruction of this library outside all `data_dependent` functions; yields whether that is where it is."""
    inside = 0

    def step(frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode":
            course.append((frame.f_code, frame.f_lasti))
        return step

    def leave(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ARG001  # the interpreter's signature
        nonlocal inside
        inside -= event == "return"
        return leave

    def enter(frame: FrameType, event: str, _: Any) -> Any:  # noqa: ARG001
        nonlocal inside
        if inside:
            if frame.f_code in DATA_DEPENDENT:
                inside += 1
                return leave
            return None
        if frame.f_code in DATA_DEPENDENT:
            course.append((frame.f_code, -1))  # that it is called is seen
            inside += 1
            return leave
        if not frame.f_code.co_filename.startswith(LIBRARY) or frame.f_code.co_filename == __file__:
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield lambda: inside == 0
    finally:
        sys.settrace(before)


# -- files: an audit hook cannot be taken back, so there is one, which is idle between records -------------------------

_files: list[str] | None = None
_hooked = False
_CHANGES = {"os.rename": 2, "os.mkdir": 1, "os.remove": 1, "os.rmdir": 1, "os.link": 2, "os.symlink": 2}


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _files is None:
        return
    if event == "open" and isinstance(arguments[0], str | Path) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
        _files.append(str(arguments[0]))
    elif event in _CHANGES:
        _files.extend(str(path) for path in arguments[: _CHANGES[event]])


@contextlib.contextmanager
def _watching_files(files: list[str]) -> Iterator[None]:
    global _files, _hooked
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    _files = files
    try:
        yield
    finally:
        _files = None
