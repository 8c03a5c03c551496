"""A results tree as the pages show it, or none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sphinx.errors import ExtensionError

from dpsampling.errors import InputError
from reproduction import project
from reproduction.claims import COLUMNS, ERRATA_COLUMNS, VERDICTS, gravity
from reproduction.report.tree import Row, read_rows

FRONT = Path(__file__).parents[1] / "front"


@dataclass(frozen=True)
class Results:
    """A results tree, or none."""

    claims: list[Row]
    errata: list[Row]  # the gravest first
    figures: dict[str, Path]  # by experiment, in the order of the parts

    @property
    def pictures(self) -> list[Path]:
        """What the site shows: a tree's figures, or the two of README.md."""
        return list(self.figures.values()) or sorted(FRONT.glob("*.png"))

    @classmethod
    def read(cls, folder: Path) -> Results:
        """What of it there is; an error in one sentence where a table is damaged."""
        try:
            claims = read_rows(folder / "claims.csv", COLUMNS) or []
            errata = read_rows(folder / "errata.csv", ERRATA_COLUMNS) or []
        except InputError as error:
            raise ExtensionError(str(error)) from error
        pictures = {name: folder / "figures" / f"{name}.png" for name in project.experiments()}
        return cls(
            claims,
            sorted(errata, key=lambda row: gravity(row["privacy"], row["verdict"])),
            {name: path for name, path in pictures.items() if path.is_file()},
        )


def missing(what: str) -> str:
    """The sentence in the place of what a results tree would show."""
    return (
        "```{note}\n"
        "No results were at hand when this site was made. `make reproduce` makes them in minutes, and `make docs` "
        f"then puts {what} here; `make docs RESULTS=FOLDER` takes those of any other tree.\n```"
    )


def badges(counted: Counter[str]) -> str:
    """How many claims have each verdict, in small."""
    shown = [
        f'<span class="verdict {verdict.replace(" ", "-")}">{counted[verdict]} {verdict}</span>'
        for verdict in VERDICTS
        if counted[verdict]
    ]
    return f'<span class="verdicts">{" ".join(shown)}</span>' if shown else ""
