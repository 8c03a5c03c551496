"""Options that name files to write, as the commands declare them, and which files a command names at all."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpsampling.files import check_ending


class OutputFile(argparse.Action):
    """A file to write, with an ending that its metavar has, such as FILE.csv or FILE.{pdf,png}; maybe `repeated`."""

    def __init__(self, option_strings: list[str], dest: str, *, metavar: str, repeated: bool = False, **rest: Any):
        super().__init__(option_strings, dest, type=Path, metavar=metavar, **rest)
        self.endings = [f".{word}" for word in re.findall(r"\w+", metavar.partition(".")[2])]
        self.repeated = repeated

    def __call__(self, _parser: Any, namespace: argparse.Namespace, value: Any, _option: str | None = None) -> None:
        """Note the file among the command's outputs."""
        check_ending(value, self.endings)
        namespace.outputs = {*getattr(namespace, "outputs", ()), self.dest}
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), value] if self.repeated else value)


def add(options: argparse.Namespace, *paths: Path) -> None:
    """Note files that a command has written and that no option names."""
    options.made = list(paths)
    options.outputs = {*getattr(options, "outputs", ()), "made"}


def files_of(options: argparse.Namespace) -> tuple[list[Path], list[Path]]:
    """The files that the options name, those to write and those to read."""
    written: set[str] = getattr(options, "outputs", set())
    paths = {name: list(_paths(value)) for name, value in vars(options).items()}
    outputs = [path for name, found in paths.items() for path in found if name in written]
    return outputs, [path for name, found in paths.items() for path in found if name not in written]


def _paths(value: object) -> Iterable[Path]:
    if isinstance(value, list):
        return [path for item in value for path in _paths(item)]
    return [value] if isinstance(value, Path) else []
