"""The artifact appendix as a page, from the main claims, what was measured of them, and the project's own documents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from dpsampling.errors import InputError
from reproduction.artifact.measured import OTHER, Main
from reproduction.citation import citation
from reproduction.project import parts

TEMPLATES = Path(__file__).parent / "templates"


def page(claims: Sequence[Main], measured: Mapping[str, Any]) -> str:
    """Markdown, the same for the same input."""
    engine = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    engine.filters |= {"minutes": minutes, "cell": cell, "verdicts": verdicts, "listed": listed}
    found = measured["parts"]
    lost = [claim.part for claim in claims if claim.part not in found]
    if lost:
        raise InputError(f"nothing was measured of {lost[0]}; make the measurements again with 'make appendix'.")
    total = {
        "seconds": sum(part["seconds"] for part in found.values()),
        "megabytes": max(part["megabytes"] for part in found.values()),
        "experiments": sum(len(part["experiments"]) for part in found.values()),
        "verdicts": _together(part["verdicts"] for part in found.values()),
    }
    return engine.get_template("appendix.md").render(
        cited=citation(), claims=claims, measured=measured, parts=parts(), total=total, other=found[OTHER]
    )


def minutes(seconds: float) -> str:
    """Whole minutes, rounded up, so that nobody waits longer than told on such a machine."""
    return str(max(1, math.ceil(seconds / 60)))


def cell(text: str) -> str:
    """Text in a cell of a table."""
    return text.replace("|", "\\|")


def verdicts(counted: Mapping[str, int]) -> str:
    """How many claims have each verdict."""
    return ", ".join(f"{count} {verdict}" for verdict, count in counted.items()) or "no claims"


def listed(names: Sequence[str]) -> str:
    """Names as code."""
    return ", ".join(f"`{name}`" for name in names)


def _together(counts: Any) -> dict[str, int]:
    total: dict[str, int] = {}
    for counted in counts:
        for verdict, count in counted.items():
            total[verdict] = total.get(verdict, 0) + count
    return total
