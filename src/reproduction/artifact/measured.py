"""What the appendix takes from a results tree: verdicts, times and memory by part, and the main claims as measured.

These numbers are committed beside the appendix that is made of them, for a results tree is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpsampling.errors import InputError, did_you_mean
from reproduction.claims import FAILING, VERDICTS
from reproduction.project import Experiment, parts
from reproduction.report import tree

OTHER = "other"  # jobs that are no experiment's: the audit, the gathering, the report
STAGE_OF = {"audit": "auditing", "counts": "chapter4", "fits": "chapter4", "designs": "logistic", "sweeps": "logistic"}
SHOWN = ("source", "statement", "expected", "measured", "tolerance", "verdict", "evidence")


@dataclass(frozen=True)
class Main:
    """A main claim of the artifact: in our words, about a part, shown by some of the machine's claims."""

    part: str
    says: str
    shown_by: dict[str, str]  # claims, with the verdict that the words rest on
    command: str
    human: int  # minutes to read what came out
    compute: int  # minutes of a command that is no experiment's
    expected: str  # of such a command, what it should say
    cannot: str  # what of the part cannot be reproduced, and why


def main_claims(told: Mapping[str, Any], where: str) -> list[Main]:
    """The main claims of a document, one a part."""
    try:
        found = [
            Main(
                part=str(part),
                says=str(m["says"]),
                shown_by={str(name): str(verdict) for name, verdict in m["shown_by"].items()},
                command=str(m["command"]),
                human=int(m["human"]),
                compute=int(m.get("compute", 0)),
                expected=str(m.get("expected", "")),
                cannot=str(m.get("cannot", "")),
            )
            for part, m in told.items()
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"{where}: each part has 'says', 'shown_by', 'command', 'human', and may have 'compute', 'expected' and "
            "'cannot'; write it as in docs/artifact/main.yaml."
        ) from error
    for claim in found:
        if claim.part not in parts():
            raise InputError(f"{where}: {claim.part} is no part{did_you_mean(claim.part, list(parts()))}.")
    return found


def measure(results: Path, claims: Sequence[Main]) -> dict[str, Any]:
    """The numbers of a results tree at paper scale."""
    run = tree.read(results)
    if run.scale != "paper":
        raise InputError(f"{results} is no tree of 'make reproduce'; the appendix tells what one at paper scale takes.")
    rows = {row["id"]: row for row in run.claims}
    lost = [name for claim in claims for name in claim.shown_by if name not in rows]
    if lost:
        raise InputError(f"{results} has no claim {lost[0]}{did_you_mean(lost[0], list(rows))}; name one that it has.")
    for claim in claims:
        for name, verdict in claim.shown_by.items():
            if rows[name]["verdict"] != verdict:
                raise InputError(
                    f"{results} has {name} {rows[name]['verdict']}, and what is said of {claim.part} rests on "
                    f"{verdict}; say what is so."
                )
    part_of = {e.id: e.part for e in run.experiments}
    return {
        "made_by": {"code": _values(run, "dpsampling"), "python": _values(run, "python"), "cpu": _cpus(run)},
        "parts": {part: _part(run, part, part_of) for part in [*parts(), OTHER]},
        "claims": {name: {key: rows[name][key] for key in SHOWN} for claim in claims for name in claim.shown_by},
        "failing": [
            {key: row[key] for key in ("id", "source", "verdict", "privacy")}
            for row in run.errata or []
            if row["verdict"] in FAILING and row["privacy"]
        ],
        "untestable": dict(Counter(row["measured"] for row in run.claims if row["verdict"] == "untestable")),
    }


def _part(run: tree.Run, part: str, part_of: Mapping[str, str]) -> dict[str, Any]:
    jobs = [job for job in run.jobs if part_of.get(job.experiment, STAGE_OF.get(job.stage, OTHER)) == part]
    own = [e for e in run.experiments if e.part == part]
    verdicts = Counter(row["verdict"] for row in run.claims if part_of.get(row["experiment"]) == part)
    return {
        "experiments": [e.id for e in own],
        "data": sorted({name for e in own for name in _data(e)}),
        "seconds": round(sum(job.seconds for job in jobs)),
        "megabytes": round(max((job.memory or 0 for job in jobs), default=0)),
        "verdicts": {verdict: verdicts[verdict] for verdict in VERDICTS if verdicts[verdict]},
    }


def _data(experiment: Experiment) -> Iterable[str]:
    named: Any = experiment.parameters.get("datasets") or experiment.parameters.get("dataset") or []
    return [named] if isinstance(named, str) else map(str, named)


def _values(run: tree.Run, key: str) -> list[str]:
    return sorted({str(origin.get(key)) for origin in run.provenance.values()})


def _cpus(run: tree.Run) -> list[str]:
    return sorted({str(tree.part(origin, "machine").get("cpu")) for origin in run.provenance.values()})
