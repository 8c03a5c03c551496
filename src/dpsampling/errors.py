"""The one exception a user can cause, and the hint that goes with a wrong name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LONGEST = 1000  # characters of a sentence on standard error


class InputError(ValueError):
    """A value, key or file that cannot be used.

    Its message is one sentence that names the thing, says what is allowed and what to do.
    The command line prints it and exits with 2; nothing has been written by then.
    """


def sentence(error: InputError) -> str:
    """The message on one line, however long or odd what it names may be."""
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in " ".join(str(error).split("\n")))
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A hint at the nearest of the known names, if one is near."""
    near = difflib.get_close_matches(str(name)[:LONGEST], list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""
