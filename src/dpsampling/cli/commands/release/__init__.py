"""`dpsampling release …`: three private releases of your own data; and what these commands ask for alike."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling.cli import parsing
from dpsampling.cli.outputs import OutputFile
from dpsampling.cli.parsing import changes_argument
from dpsampling.errors import InputError
from dpsampling.event_logs.schema import LogSchema, column_key, is_path, key, load
from dpsampling.files.documents import Document
from dpsampling.privacy.guarantee import Approximate, Pure

if TYPE_CHECKING:
    from dpsampling.release.contents import Release

HELP = "release a proportion, a table or a hidden Markov model of your own data, privately"
SHORTEST, LONGEST = 0.01, 3600.0  # seconds of a quantum
WHY = {
    "schema": "which YAML file says what is public about the rows",
    "unit": "who is protected, such as respondent",
    "epsilon": "the level of this release",
    "budget": "what all releases of these data may cost together",
    "out": "a new folder for the release",
}


def data_argument(parser: argparse.ArgumentParser) -> None:
    """The rows."""
    parser.add_argument("data", type=Path, metavar="FILE", help="the rows: CSV, plain or gzipped, or Parquet")


def schema_arguments(parser: argparse.ArgumentParser) -> None:
    """What is public about the rows."""
    parser.add_argument(
        "--schema",
        type=lambda text: Path(text) if is_path(text) else text,
        metavar="FILE.yaml",
        help="what is public about the rows; 'dpsampling warlogs schema' drafts one",
    )
    changes_argument(parser, "a change of the schema, in YAML; may be repeated")


def paying_arguments(parser: argparse.ArgumentParser) -> None:
    """Who is protected, at which level, out of which budget."""
    parser.add_argument("--unit", metavar="NAME", help="who is protected, such as respondent, patient or row")
    parser.add_argument("--id", dest="identifier", metavar="COLUMN", help="the column that says who a row is about")
    parser.add_argument("--max-per-unit", metavar="M", help="how many rows of one unit are kept, with --id")
    parser.add_argument("--epsilon", metavar="E", help="the privacy level of this release")
    parser.add_argument("--delta", metavar="D", help="for (ε, δ) instead of ε, where the mechanism has one")
    parser.add_argument(
        "--budget", metavar="E", help="what all releases of these data may cost together; fixed by the first"
    )
    parser.add_argument("--budget-delta", metavar="D", help="the δ of that (default: --delta); fixed by the first")
    parser.add_argument(
        "--ledger",
        type=Path,
        metavar="FILE",
        help="the private file of all releases (default: FILE.ledger)",
    )


def answer_arguments(parser: argparse.ArgumentParser, quantum: str) -> None:
    """Where to, when, and how certain the intervals are."""
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="a new folder; all in it may be published")
    parser.add_argument("--level", default="0.9", metavar="L", help="of intervals (default: 0.9)")
    parser.add_argument(
        "--quantum", default=quantum, metavar="S", help=f"it answers at a multiple of S seconds (default: {quantum})"
    )
    parser.add_argument("--report", action=OutputFile, metavar="FILE.json", help="what was left out, and why: PRIVATE")


def check_said(options: argparse.Namespace) -> None:
    """That everything without a default was said."""
    for name, what in WHY.items():
        if getattr(options, name, "") is None:
            raise InputError(f"--{name} is missing; say {what}, for nobody else can.")


def refuse_delta(options: argparse.Namespace) -> None:
    """Noisy counts protect without a δ."""
    if options.delta is not None:
        raise InputError("--delta is given, and noisy counts protect without one; leave it out.")


def described(options: argparse.Namespace, *, events: bool) -> LogSchema:
    """What is public about the rows, and who is protected; `events` have a time and a region.

    A unit is said twice where the schema has one: what the command says of it must be the same.
    """
    found = load(str(options.schema), parsing.parse_settings(options.set), events=events, unit=unit_of(options))
    for option, said, written, same in (
        ("--unit", options.unit, found.unit.name, key),
        ("--id", options.identifier, found.unit_column, column_key),
        ("--max-per-unit", options.max_per_unit, str(found.unit.most), lambda most: str(_most(most))),
    ):
        if said is not None and (written is None or same(said) != same(written)):
            has = "has no column" if written is None else f"says '{written}'"
            raise InputError(
                f"{option} is '{said}', where unit in {options.schema} {has}; who is protected is said in one way, "
                "change either."
            )
    return found


def unit_of(options: argparse.Namespace) -> Document | str:
    """The unit as a description says it."""
    if (options.identifier is None) != (options.max_per_unit is None):
        absent = "--id" if options.identifier is None else "--max-per-unit"
        raise InputError(
            f"{absent} is missing; --id tells the rows of one {options.unit}, --max-per-unit how many are kept."
        )
    if options.identifier is None:
        return {"name": options.unit, "most": 1}
    return {"name": options.unit, "column": options.identifier, "most": _most(options.max_per_unit)}


def _most(text: str) -> int:
    most = parsing.level(text, option="--max-per-unit")
    if most % 1 or most < 1:
        raise InputError(f"--max-per-unit is {text}; a unit keeps a whole number of rows, from 1 on.")
    return int(most)


def payment(options: argparse.Namespace) -> tuple[Path, Pure | Approximate, Path | None]:
    """What pays: whose ledger it is, what all releases may cost, and a ledger elsewhere."""
    total = parsing.level(options.budget, option="--budget")
    delta = options.budget_delta or options.delta
    whole: Pure | Approximate = Pure(total)
    if delta:
        whole = Approximate(total, parsing.level(delta, option="--budget-delta"))
    return options.data, whole, options.ledger


def answer(options: argparse.Namespace) -> dict[str, Any]:
    """Where to and when, and which files stay private."""
    quantum = parsing.level(options.quantum, option="--quantum")
    if not SHORTEST <= quantum <= LONGEST:
        raise InputError(f"--quantum is {options.quantum}; it must be from {SHORTEST:g} to {LONGEST:g} seconds.")
    return {"out": options.out, "quantum": quantum, "private": [] if options.report is None else [options.report]}


def tell(out: Path, release: Release) -> None:
    """One line on a release."""
    paid = release.budget
    print(f"{out}: {release.guarantee}; spent {paid.spent:g} of {paid.total:g}; read {out}/CARD.md first")
