"""What attacking the mechanisms found, and what it would have found."""

from __future__ import annotations

from collections.abc import Sequence

from reproduction.report.run_tables import FEW, any_table
from reproduction.report.tree import Row, Run
from reproduction.report.view import Link, Section, Table

NEEDED = {"mechanism", "tightness", "smallest_lie_caught", "by_price", "draws_to_2x", "verdict"}
TIGHT = 0.95
COLUMNS = (
    "Mechanism",
    "instances",
    "price / promise",
    "smallest lie caught",
    "by its price",
    "draws that tell a lie of 2×",
    "verdict",
)


def audit(run: Run) -> Section:
    """The audit, if there was one: a row a mechanism, and all rows and lies, each folded."""
    if not run.audit:
        return Section("audit", "Audit", ("No audit.csv is among these results, so no audit is shown.",))
    links = [Link("audit.csv", "audit.csv")]
    full = any_table("Audit of the mechanisms", run.audit)
    if not set(run.audit[0]) >= NEEDED:
        return Section("audit", "Audit", links=tuple(links), folded=((f"All {len(run.audit)} lines", full),))
    groups: dict[str, list[Row]] = {}
    for row in run.audit:
        groups.setdefault(row["mechanism"], []).append(row)
    rows = tuple(summary(name, group) for name, group in groups.items())
    folded = [
        (f"{len(rows)} mechanisms", Table("Each mechanism, and the smallest lie that is caught", COLUMNS, rows)),
        (f"The first {FEW} of {len(run.audit)} instances and levels" if len(run.audit) > FEW else "All", full),
    ]
    if run.liars:
        links.append(Link("liars.csv", "liars.csv"))
    return Section("audit", "Audit", tuple(words(run.audit)), tuple(links), tuple(folded))


def words(rows: Sequence[Row]) -> list[str]:
    """What was done, how tight it is, and what a lie would have to be to go unseen."""
    promised = [row for row in rows if row["tightness"]]
    tight = [row for row in promised if _number(row["tightness"]) >= TIGHT]
    sharp = [row for row in tight if _number(row["by_price"]) <= 1.05]
    unseen = sorted({row["mechanism"] for row in promised if _number(row["smallest_lie_caught"]) > 2.0})
    seen_elsewhere = {row["mechanism"] for row in promised if _number(row["smallest_lie_caught"]) <= 2.0}
    never = [name for name in unseen if name not in seen_elsewhere]
    broken = sum(row["verdict"].startswith("broken") for row in rows)
    told = [
        "Each mechanism is looked at where it is as exposed as its guarantee allows. Price is what the worst of all "
        "neighbouring pairs spends of the promise, from the output laws themselves; draws are an attack on the sampler "
        "and a sequential test that it draws from the laws that were priced. A lie keeps the promise and has less "
        "noise, temperature, prior … than it says, by the factor shown.",
        f"{broken} of {len(rows)} instances and levels are broken. {len(tight)} of {len(promised)} promises are spent "
        f"to {TIGHT:.0%} or more, and {len(sharp)} of these are broken by a lie of 5%, by its price alone.",
    ]
    if never:
        told.append(f"A lie of 2× goes unseen in {', '.join(never)}: why nothing could see it is said in the rows.")
    return told


def summary(name: str, rows: Sequence[Row]) -> tuple[str, ...]:
    """One mechanism by its most telling instances."""
    tightness = [_number(row["tightness"]) for row in rows if row["tightness"]]
    bad = sorted({row["verdict"] for row in rows if row["verdict"].startswith("broken")})
    return (
        name,
        str(len({row.get("instance", "") for row in rows})),
        f"{max(tightness):.3f}" if tightness else "",
        _lie(rows, "smallest_lie_caught"),
        _lie(rows, "by_price"),
        _draws(rows),
        "; ".join(bad) or rows[0]["verdict"],
    )


def _lie(rows: Sequence[Row], column: str) -> str:
    """The least factor, over the instances."""
    factors = [_number(row[column]) for row in rows if row[column]]
    return "" if not factors else "none" if min(factors) == float("inf") else f"{min(factors):g}×"


def _draws(rows: Sequence[Row]) -> str:
    least = min((_number(row["draws_to_2x"]) for row in rows if row["draws_to_2x"]), default=None)
    return "" if least is None else "none tell" if least == float("inf") else f"{least:g}"


def _number(cell: str) -> float:
    return float(cell) if cell else float("nan")
