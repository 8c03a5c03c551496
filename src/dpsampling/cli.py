"""The command line, which the workflow's rules run too.

A command is a module of `dpsampling.commands` with HELP, arguments(parser) and run(options); a folder there is a group
of commands. Only the one that is named is imported, and it imports what is heavy when it runs, so that a wrong option
answers at once. Bad input ends with one sentence on standard error and exit code 2, and nothing is written.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import io
import pkgutil
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NoReturn

from dpsampling import __version__, commands
from dpsampling.errors import InputError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if it worked, 2 if the input was bad."""
    if arguments is None:  # a command of a second: collecting garbage would cost its imports a tenth of their time
        gc.set_threshold(100_000)
        _speak_utf8()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = _parser(words).parse_args(words)
        options.run(options)
    except InputError as error:
        print(f"dpsampling: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of `dpsampling list | head` has gone
        sys.stderr.close()
    except OSError as error:
        if error.filename is None:
            raise
        print(
            f"dpsampling: {error.filename} cannot be used ({error.strerror}); check that it is there and may be read.",
            file=sys.stderr,
        )
        return 2
    return 0


def _speak_utf8() -> None:
    """Standard streams as files are, in UTF-8, whatever the locale."""
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; '{self.prog} --help' shows what is possible.")


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for these words: of all commands, or with the named one alone."""
    parser = _Parser(prog="dpsampling", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--version", action="version", version=f"dpsampling {__version__}")
    _add(parser, commands, words)
    return parser


def _add(parser: argparse.ArgumentParser, group: ModuleType, words: Sequence[str]) -> None:
    """The commands of a group; where the first word is one of them, that one alone."""
    inside: Any = parser.add_subparsers(metavar="COMMAND", required=True)
    found = {told.name: told.ispkg for told in pkgutil.iter_modules(group.__path__)}
    for name in [word for word in words[:1] if word in found] or sorted(found):
        module = importlib.import_module(f"{group.__name__}.{name}")
        command = inside.add_parser(name, help=module.HELP, description=getattr(module, "DESCRIPTION", module.HELP))
        if found[name]:
            _add(command, module, words[1:])
        else:
            module.arguments(command)
            command.set_defaults(run=module.run)
