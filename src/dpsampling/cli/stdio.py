"""Standard output and standard error as every command finds them: there, and with failures that are one sentence."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from dpsampling.errors import InputError, one_line
from dpsampling.files import why


def prepare() -> None:
    """Streams that the caller closed lead nowhere, so that no file takes their numbers; warnings are one line each.

    The streams are in UTF-8, as files are, whatever the locale; another encoding has to be asked for.
    """
    warnings.formatwarning = lambda message, *_, **__: f"dpsampling: {one_line(str(message))}\n"
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if "PYTHONIOENCODING" not in os.environ:
        for stream, errors in (
            (sys.stdin, "strict"),
            (sys.stdout, "backslashreplace"),
            (sys.stderr, "backslashreplace"),
        ):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors=errors)


@contextmanager
def checked() -> Iterator[None]:
    """What is printed in the block has arrived when it ends, or there is an InputError."""
    stream = sys.stdout
    sys.stdout = printed = _Printed(stream)
    try:
        yield
    finally:
        sys.stdout = stream
        printed.flush()


class _Printed:
    """A stream that may be closed, full or without a reader."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        if self._stream is None:
            raise InputError("standard output is closed; send it to a file or to a program.")
        return self._tried(self._stream.write, text)

    def flush(self) -> None:
        if self._stream is not None:
            self._tried(self._stream.flush)

    def _tried(self, do: Callable[..., Any], *arguments: str) -> Any:
        try:
            return do(*arguments)
        except UnicodeEncodeError as error:
            raise InputError(
                f"standard output is in {error.encoding}, which lacks a character that is printed; set "
                "PYTHONIOENCODING=utf-8."
            ) from error
        except OSError as error:
            own = sys.__stdout__
            if own is not None and self._stream is own:  # what was not printed is not tried again as the program ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), own.fileno())
            raise InputError(
                f"standard output does not take all that is printed ({why(error)[0]}); send it where there is room, or "
                "to a program that reads to the end."
            ) from error
