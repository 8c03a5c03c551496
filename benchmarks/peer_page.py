"""The tables of docs/peers.md: `python benchmarks/peer_page.py` writes them into the page.

Capabilities come from peer_capabilities.yaml, times from peer_timings.json, which `peer_timings.py --renew` measures.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from dpsampling.files import write_text

PROJECT = Path(__file__).parents[1]
PAGE = PROJECT / "docs" / "peers.md"
CAPABILITIES = PROJECT / "benchmarks" / "peer_capabilities.yaml"
RECORD = PROJECT / "benchmarks" / "peer_timings.json"
NEAR = 1e-4  # relative, of answers that count as alike
Json = Mapping[str, Any]


def main() -> int:
    """Renew the page."""
    renew()
    return 0


def renew() -> None:
    """Write the page's tables in place of those it has."""
    write_text(PAGE, renewed(PAGE.read_text(encoding="utf-8")))


def renewed(page: str) -> str:
    """The page with the tables as they are to be."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    made: dict[str, Callable[[], str]] = {
        "versions": lambda: versions(record),
        "capabilities": lambda: capabilities(subjects()),
        "faster": lambda: faster(record),
        "tighter": lambda: tighter(record),
        "timings": lambda: timings(record),
    }
    for name, make in made.items():
        begin, end = f"<!-- {name}: made by benchmarks/peer_page.py -->", f"<!-- end of {name} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        text = f"{begin}\n\n{make().strip()}\n\n{end}"
        if not pattern.search(page):
            raise ValueError(f"the page has no place for {name}")
        page = pattern.sub(text.replace("\\", r"\\"), page)
    return page


# -- capabilities ------------------------------------------------------------------------------------------------------


def subjects() -> list[dict[str, Any]]:
    """All of them, as they are written."""
    read: list[dict[str, Any]] = yaml.safe_load(CAPABILITIES.read_text(encoding="utf-8"))
    return read


def rows() -> Iterator[dict[str, Any]]:
    """Every capability."""
    for subject in subjects():
        yield from subject["rows"]


def peers_names() -> list[str]:
    """Every name of a peer's, once."""
    return list(dict.fromkeys(name for row in rows() for names in row["peers"].values() for name in names))


def capabilities(all_subjects: list[dict[str, Any]]) -> str:
    """A table a subject."""
    lines = []
    for subject in all_subjects:
        lines += ["", f"### {subject['subject']}", "", "| what | here | found in | not found in |", "|---|---|---|---|"]
        for row in subject["rows"]:
            here = "<br>".join(shown(entry) for entry in row["here"]) or "not here"
            there = "<br>".join(
                f"{peer}: " + ", ".join(f"`{name}`" for name in row["peers"][peer])
                for peer in subject["among"]
                if peer in row["peers"]
            )
            if "but" in row:
                there = "<br>".join(part for part in (there, f"({row['but']})") if part)
            missing = ", ".join(peer for peer in subject["among"] if peer not in row["peers"])
            lines.append(f"| {row['what']} | {here} | {there} | {missing} |")
    return "\n".join(lines)


def shown(entry: str) -> str:
    """A command, or a link to the file of a name."""
    if is_command(entry):
        return f"`{entry}`"
    path = file_of(entry)
    name = entry.removeprefix("dpsampling.") if "/" not in entry else entry
    return f"[`{name}`](../{path})" if not path.startswith("docs/") else f"[`{name}`]({path.removeprefix('docs/')})"


def is_command(entry: str) -> bool:
    """Whether it is one of the command line."""
    return entry.startswith("dpsampling ")


def file_of(entry: str) -> str:
    """The file, below the project, that holds a dotted name of ours, or the file itself."""
    if "/" in entry:
        return entry
    parts = entry.split(".")
    for length in range(len(parts), 0, -1):
        stem = Path("src", *parts[:length])
        for path in (stem.with_suffix(".py"), stem / "__init__.py"):
            if (PROJECT / path).is_file():
                return path.as_posix()
    raise ValueError(f"'{entry}' is no name of ours")


# -- times -------------------------------------------------------------------------------------------------------------


def versions(record: Json) -> str:
    """One sentence."""
    told = ", ".join(f"{name} {number}" for name, number in record["versions"].items() if number)
    return f"{told}."


def timings(record: Json) -> str:
    """A table a task, and how it was measured."""
    machine = record["machine"]
    load = " to ".join(f"{value:g}" for value in machine["load"])
    lines = [
        f"{machine['processor']}, one of {machine['processors']} processors, Python {machine['python']}; load {load} "
        f"at the start and the end. Medians over {record['rounds']} rounds; in brackets the quartiles of the ratio.",
        *(f"\n{told}" for told in record["absent"]),
    ]
    for task in record["tasks"]:
        if not task["ways"]:
            continue
        answers = any(way["answer"] is not None for way in task["ways"])
        apart = any("off" in way for way in task["ways"])
        head = [
            "by",
            task["unit"],
            "over ours",
            *(["answer"] if answers else []),
            *(["off by"] if apart else []),
        ]
        lines += ["", f"**{task['title']}.** {task['note']}", "", "| " + " | ".join(head) + " |"]
        lines.append("|---" + "|---:" * (len(head) - 1) + "|")
        for way in task["ways"]:
            low, high = way["quartiles"]
            ratio = "1" if way is task["ways"][0] else f"{number(way['ratio'])} ({number(low)} to {number(high)})"
            cells = [f"{way['package']}: {way['call']}", seconds(way["seconds"]), ratio]
            cells += [answer(way["answer"])] if answers else []
            cells += [f"{way['off']:+.0e}" if "off" in way else ""] if apart else []
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def faster(record: Json) -> str:
    """Where a peer does the same work in less time than ours, in three quarters of the rounds or more, and as well."""
    lines = []
    for task in record["tasks"]:
        if not (task["ways"] and task["alike"]):
            continue
        most = (task["ways"][0]["answer"] or 0.0) * (1 + NEAR)
        quick = [
            way
            for way in task["ways"]
            if way["package"] != "ours"
            and way["quartiles"][1] < 1
            and (way["answer"] is None or 0 < way["answer"] <= most)
        ]
        told = ", ".join(f"{way['package']} ({way['call']}) {number(way['ratio'])}" for way in quick)
        if told:
            lines.append(f"- {task['title']}: {told}")
    return "\n".join(lines) or "Nowhere."


def tighter(record: Json) -> str:
    """Where a peer's ε is below the least of ours by more than a ten-thousandth, and is one."""
    lines = []
    for task in record["tasks"]:
        answers = [way for way in task["ways"] if way["answer"] is not None and way["answer"] > 0]
        least = min((way["answer"] for way in answers if way["package"] == "ours"), default=0.0)
        for way in answers:
            if way["answer"] < least * (1 - NEAR):
                told = f"{way['package']} ({way['call']}) has {answer(way['answer'])}, the best of ours {answer(least)}"
                lines.append(f"- {task['title']}: {told}")
    return "\n".join(lines) or "Nowhere."


def answer(value: float | None) -> str:
    """To six decimals; an ε below 0 is none."""
    if value is None:
        return ""
    return f"{value:.6f}" + (" (no level)" if value < 0 else "")


def seconds(value: float) -> str:
    """In the unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * scale >= 0.9995:
            return f"{number(value * scale)} {unit}"
    return f"{number(value * 1e9)} ns"


def number(value: float) -> str:
    """Two digits, or all that stand before the point."""
    return f"{value:.0f}" if value >= 99.5 else f"{value:.2g}"


if __name__ == "__main__":
    sys.exit(main())
