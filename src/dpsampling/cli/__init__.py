"""The command line, which the workflow's rules run too.

A command is a module of `dpsampling.cli.commands` with HELP, arguments(parser) and run(options); a folder there is a
group of commands. Other packages add theirs by the entry point `dpsampling.commands`, as the reproduction of the thesis
does. Only the one that is named is imported, and it imports what is heavy when it runs, so that a wrong option answers
at once. Bad input ends with one sentence on standard error and exit code 2, and nothing is written; so does a
standard output that does not take what is printed. Unless a command says PUBLISHES, what it writes gives nobody a
permission that the files it is made from do not give.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from importlib import metadata
from types import ModuleType
from typing import Any, NoReturn

from dpsampling import __version__, files
from dpsampling.cli import commands, outputs, parsing, stdio
from dpsampling.errors import InputError
from dpsampling.files import sums

SUMS = "the SHA-256 of each file that is written, for 'sha256sum --check'"
EXTRAS = dict.fromkeys(("arviz", "duckdb", "numba", "threadpoolctl", "zstandard"), "release")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if it worked, 2 if something that it was given cannot be used."""
    if arguments is None:
        gc.set_threshold(100_000)  # in a second, collecting garbage would cost the imports a tenth of their time
        os.environ["MPLBACKEND"] = "agg"  # no command opens a window, whatever a shell asks for
        os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # looking for any takes longer than checking a file
        stdio.prepare()
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with stdio.checked():
            options = _parser(words).parse_args(words)
            written, read = outputs.files_of(options)
            files.check_apart(written, read)
            with files.inherit_permissions(*([] if options.publishes else read)):
                if code := options.run(options) or 0:
                    return code
                if options.sums:
                    sums.write(options.sums, [p for p in outputs.files_of(options)[0] if p != options.sums])
                return 0
    except InputError as error:
        print("\n".join(f"dpsampling: {sentence}" for sentence in error.sentences), file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        told = f"this needs {error.name}, which is not installed; pip install 'dpsampling[{EXTRAS[error.name]}]'."
        print(f"dpsampling: {told}", file=sys.stderr)
        return 2
    except OSError as error:
        if error.filename is None:
            raise
        told = f"{error.filename} cannot be used ({error.strerror}); check that it is there and may be read."
        print(f"dpsampling: {InputError(told)}", file=sys.stderr)
        return 2


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, others = self.parse_known_args(args, namespace)
        parsing.check_settings(options, others)
        return super().parse_args(args, namespace) if others else options

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; '{self.prog} --help' shows what is possible.")


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser for these words: of all commands, or with the named one alone."""
    parser = _Parser(prog="dpsampling", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--version", action="version", version=f"dpsampling {__version__}")
    others = metadata.entry_points(group="dpsampling.commands")
    _add(parser, [commands, *(entry.load() for entry in others)], words)
    return parser


def _add(parser: argparse.ArgumentParser, groups: Sequence[ModuleType], words: Sequence[str]) -> None:
    """Add the commands of a group, whose packages may be several; where the first word is one of them, that one alone.

    Groups of one name are merged; of two commands of one name the later package has the say.
    """
    inside: Any = parser.add_subparsers(metavar="COMMAND", required=True)
    modules: dict[str, list[pkgutil.ModuleInfo]] = {}
    for group in groups:
        for told in pkgutil.iter_modules(group.__path__, f"{group.__name__}."):
            modules.setdefault(told.name.rpartition(".")[2], []).append(told)
    for name in [word for word in words[:1] if word in modules] or sorted(modules):
        *_, last = modules[name]
        packages = [importlib.import_module(told.name) for told in modules[name] if last.ispkg]
        module = packages[0] if packages else importlib.import_module(last.name)
        command = inside.add_parser(name, help=module.HELP, description=getattr(module, "DESCRIPTION", module.HELP))
        if packages:
            _add(command, packages, words[1:])
        else:
            module.arguments(command)
            command.add_argument("--sums", action=outputs.OutputFile, metavar="FILE.sha256", help=SUMS)
            command.set_defaults(run=module.run, publishes=getattr(module, "PUBLISHES", False))
