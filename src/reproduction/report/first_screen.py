"""The first screen: what was reproduced, what was not, why, and on which data, computed from claims and errata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reproduction.claims import (
    EXACT,
    INDICATED,
    MISPRINT,
    MONTE_CARLO,
    NOT_INDICATED,
    OURS,
    OVERSTATED,
    PUBLISHED_POINTS,
    REAL_DATA,
    RECONSTRUCTED,
    REFUTED,
    REPRODUCED,
    SIMULATED_LOG,
    UNTESTABLE,
    WRONG,
)
from reproduction.report import sources, verdicts
from reproduction.report.tree import Row, Run, part
from reproduction.report.view import Finding, Link, anchor

LONG = 105  # letters of a statement that is quoted
EXAMPLES = 2
NOT_MEASURED = "not measured: "
SIMULATED, PUBLISHED = "simulated", "published"  # origins of a log: drawn here; counts of it that come with the code
COUNTS = "published counts, no rows"


def findings(run: Run) -> tuple[Finding, ...]:
    """Six sentences."""
    if not run.claims:
        return (Finding("Nothing is judged", (Link("these results hold no claim."),)),)
    return (reproduced(run), not_reproduced(run), gravest(run), why(run), open_questions(run), data(run))


def reproduced(run: Run) -> Finding:
    """How many of the sources' own claims hold, source by source, and how many of ours do."""
    theirs = [row for row in run.claims if row["reading"] != OURS]
    ours = [row for row in run.claims if row["reading"] == OURS]
    parts = []
    for source in (*sources.SOURCES, sources.OURS):
        rows = [row for row in theirs if sources.source_of(row["source"]) is source]
        if rows:
            short = "other papers" if source is sources.OURS else source.short
            parts.append(f"{short} {_tally(rows, REPRODUCED)} of {len(rows)}")
    held = verdicts.held(theirs)
    told = f"{held.number} of {len(theirs)} claims of the sources hold as stated"
    words = [Link(told, f"#{held.target}" if held.number else "")]
    words.append(Link(f": {', '.join(parts)}" if parts else ""))
    if ours:
        told = f"{len(ours)} of ours, or of our reading where words allow several"
        words += [Link("; of "), Link(told, f"#only-{verdicts.OF_OURS}"), Link(f", {_tally(ours, REPRODUCED)} hold")]
    return Finding("What was reproduced", (*words, Link(".")))


def not_reproduced(run: Run) -> Finding:
    """How many do not, whose words they are, what is wrong with them, and where most of the sources' own stand."""
    failing = verdicts.failing(run.claims)
    theirs = [row for row in failing if row["reading"] != OURS]
    where = Counter(sources.source_of(row["source"]).short for row in theirs).most_common(3)
    kinds = {
        WRONG: "wrong (false; the right statement is given and holds)",
        REFUTED: "refuted by the numbers (what would be right is not known)",
        MISPRINT: "misprints that nothing is built on",
    }
    whose = f", {len(theirs)} as the sources state them and {len(failing) - len(theirs)} of ours or our reading: "
    words = [Link(f"{len(failing)} claims fail{whose if failing else ''}")]
    words += _listed(*(_count(failing, v, told) for v, told in kinds.items() if _tally(failing, v)))
    told = ", ".join(f"{short} {number}" for short, number in where)
    words.append(Link(f"; most of the sources' own in {told}." if told else "."))
    return Finding("What was not", tuple(words))


def gravest(run: Run) -> Finding:
    """Where privacy is over-stated, or else what is most wrong."""
    rows = verdicts.gravest_first(verdicts.failing(run.claims))
    over = [row for row in rows if row["privacy"] == OVERSTATED]
    words = [Link("No failing claim promises more privacy than there is")]
    if over:
        told = f"{len(over)} promise more privacy than there is"
        stated = sum(row["reading"] != OURS for row in over)
        of_these = f", {stated} of these as the sources state it" if stated < len(over) else ""
        words = [Link(told, f"#only-{anchor(verdicts.PRIVACY)}"), Link(f", an ε or δ that is too small{of_these}")]
    for i, row in enumerate(of_different_experiments(rows)[:EXAMPLES]):
        words.append(Link("; first " if i == 0 and over else "; the gravest: " if i == 0 else ", then "))
        words.append(Link(f"“{shortened(row['statement'])}”", f"#{anchor('claim-' + row['id'])}"))
        words.append(Link(f" ({row['source']}; measured: {shortened(row['measured'])})"))
    return Finding("The gravest errata", (*words, Link(".")))


def why(run: Run) -> Finding:
    """What the failures rest on."""
    failing = verdicts.failing(run.claims)
    on = Counter(row["evidence"] for row in failing)
    kinds = {
        EXACT: "by exact computation, which leaves no doubt",
        MONTE_CARLO: "by draws, beyond their standard errors",
        REAL_DATA: "on the sources' own data",
        PUBLISHED_POINTS: "beside points read off published figures",
        RECONSTRUCTED: "on reconstructed inputs",
    }
    told = ", ".join(f"{on[name]} {words}" for name, words in kinds.items() if on[name])
    right = sum(row["verdict"] in (WRONG, MISPRINT) for row in failing)
    if not failing:
        return Finding("How that is known", (Link("No claim fails."),))
    words = f"{told[:1].upper()}{told[1:]}; for {right} of the {len(failing)} a corrected form was found and holds ("
    return Finding("How that is known", (Link(words), Link("errata", "#errata"), Link(").")))


def open_questions(run: Run) -> Finding:
    """What nothing here can settle, and why."""
    untestable = [row for row in run.claims if row["verdict"] == UNTESTABLE]
    words: list[Link] = [_count(run.claims, UNTESTABLE, "cannot be tested")]
    if untestable:
        most, number = Counter(row["experiment"] for row in untestable).most_common(1)[0]
        first = next(row for row in untestable if row["experiment"] == most)
        told = shortened(first["measured"].removeprefix(NOT_MEASURED).split("; ")[0])
        words.append(Link(f" (most of them, {number}, in {most}: “{told}”)"))
    logs = [row for row in run.claims if row["verdict"] in (INDICATED, NOT_INDICATED)]
    if logs:
        words += [
            Link("; of what is said of real event logs, simulated ones can only hint: "),
            _count(run.claims, INDICATED, "indicated"),
            Link(", "),
            _count(run.claims, NOT_INDICATED, "not"),
        ]
    return Finding("What stays open", (*words, Link(".")))


def data(run: Run) -> Finding:
    """How many claims rest on what."""
    tables = run.provenance.values()
    origins = logs(tables)
    names = {
        EXACT: "exact computation",
        MONTE_CARLO: "simulation with known laws",
        PUBLISHED_POINTS: "points read off published figures",
        REAL_DATA: "real data" + _in_brackets(datasets(tables)),
        RECONSTRUCTED: "inputs that the sources lost, reconstructed",
        SIMULATED_LOG: "simulated event logs"
        + _in_brackets([title for title, origin in origins if origin == SIMULATED]),
    }
    words: list[Link] = []
    for name, told in names.items():
        number = sum(row["evidence"] == name for row in run.claims)
        if number:
            words += [Link(", " if words else ""), Link(f"{number} {told}", f"#only-{anchor('rests-' + name)}")]
    real = dict.fromkeys(
        f"{title.split(',')[0]} ({COUNTS if origin == PUBLISHED else origin})"  # a log has one name in all its forms
        for title, origin in origins
        if origin != SIMULATED
    )
    return Finding("On which data", (*words, Link(f"; real event logs: {', '.join(real) if real else 'none here'}.")))


def datasets(tables: Iterable[Mapping[str, Any]]) -> list[str]:
    """The data sets that tables are made from, as their provenance tells."""
    named: set[str] = set()
    for told in tables:
        parameters = part(told, "parameters")
        several = parameters.get("datasets")
        found = [parameters.get("dataset"), *(several if isinstance(several, list) else [])]
        named |= {name for name in found if isinstance(name, str)}
    return sorted(named)


def logs(tables: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The event logs that tables are made from, each with its origin."""
    inputs = [log for told in tables for log in part(part(told, "about"), "inputs").values() if isinstance(log, dict)]
    return sorted({(str(log.get("title", "")), str(log["origin"])) for log in inputs if "origin" in log})


def shortened(text: str, longest: int = LONG) -> str:
    """The beginning of a text, to the end of a word."""
    return text if len(text) <= longest else text[:longest].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def of_different_experiments(rows: Sequence[Row]) -> list[Row]:
    """The first of each experiment, then the others."""
    seen: set[str] = set()
    first = [row for row in rows if not (row["experiment"] in seen or seen.add(row["experiment"]))]  # type: ignore[func-returns-value]
    return [*first, *(row for row in rows if row not in first)]


def _count(rows: Iterable[Row], verdict: str, words: str) -> Link:
    number = _tally(rows, verdict)
    return Link(f"{number} {words}", f"#only-{anchor(verdict)}" if number else "")


def _tally(rows: Iterable[Row], verdict: str) -> int:
    return sum(row["verdict"] == verdict for row in rows)


def _listed(*links: Link) -> list[Link]:
    """Links with commas between them."""
    return [part for i, link in enumerate(links) for part in ((Link(", "), link) if i else (link,))]


def _in_brackets(names: Sequence[str]) -> str:
    return f" ({', '.join(names)})" if names else ""
