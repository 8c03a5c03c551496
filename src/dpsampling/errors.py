"""The one exception a user can cause, and the hint that goes with a wrong name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

LONGEST = 1000  # characters of a sentence on standard error
MOST = 20  # sentences on standard error


class InputError(ValueError):
    """A value, key or file that cannot be used, or several of them.

    Each argument is one sentence that names the thing, says what is allowed and what to do.
    The command line prints them, a line each, and exits with 2; nothing has been written by then.
    Whatever a sentence quotes, it is one line of printable text.
    """

    @property
    def sentences(self) -> list[str]:
        """Return each of them as a line of printable text, as many as anybody reads."""
        told = [one_line(str(sentence)) for sentence in self.args]
        more = [f"{len(told) - MOST} more things are wrong; correct these first."] if len(told) > MOST else []
        return told[:MOST] + more

    def __str__(self) -> str:
        return one_line(" ".join(map(str, self.args)))


class Complaints(list[str]):
    """The sentences of several errors, which are raised as one."""

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep the sentences of an InputError that is raised in the block, and go on."""
        try:
            yield
        except InputError as error:
            self.extend(sentence for sentence in map(str, error.args) if sentence not in self)

    def complain(self) -> None:
        """Raise an InputError with all of them, if there are any."""
        if self:
            raise InputError(*self)


def one_line(text: str) -> str:
    """A text as one line of what can be printed, its middle left out where it is longer than anybody reads."""
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"


def reason(error: Exception) -> str:
    """Return what another library, or the system, says of an error, as far as it fits into a sentence."""
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return next(iter(told.strip().splitlines()), "").rstrip(".:") or type(error).__name__


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A hint at the nearest of the known names, if one is near."""
    near = difflib.get_close_matches(str(name)[:LONGEST], list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
