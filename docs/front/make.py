"""What README.md shows first, made from a results tree at paper scale:

    .venv/bin/python docs/front/make.py results

writes, here, the verdicts that README.md quotes (verdicts.json) and its picture (fig5_3.png, fig5_1.png), and in
README.md the part between the marks, the verdicts in the table of figures, and how to cite, which CITATION.cff decides.
The sentences are those of findings.yaml; no verdict is typed anywhere. Without a tree, README.md alone is made, from
verdicts.json.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.errors import InputError
from dpsampling.files import read_table, sidecar, strict_json
from dpsampling.files.documents import read_yaml
from dpsampling.release.style import BLACK, PUBLISHED, SINGLE, VERMILION, house_style, save, styles, subplots
from reproduction import project
from reproduction.claims import COLUMNS, ERRATA_COLUMNS, EXACT, FAILING, OURS, OVERSTATED, REPRODUCED, VERDICTS
from reproduction.experiments.renyi import published
from reproduction.experiments.renyi.levels import ENUMERATED, PRINTED
from reproduction.experiments.renyi.styles import MECHANISMS
from reproduction.report.tree import Row, read_rows

FRONT = Path(__file__).parent
README = FRONT.parents[1] / "README.md"
BEGIN, END = "<!-- made by `python docs/front/make.py results` -->\n", "<!-- end -->\n"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?%?")
NAMES = re.compile(r"(?:Figs?\.|Theorem|Corollary|Algorithm) (?:[\d.]+\d|\d)")  # numbers that are names
ROW = re.compile(r"^(\|[^|\n]*\|[^|\n]*`make figure ID=[^|\n]*\|)[^|\n]*\|", re.MULTILINE)  # two cells, and the third
ID = re.compile(r"ID=(\w+)")
CITATION = re.compile(r"(```bibtex\n).*?(```\n)", re.DOTALL)
MEANT = {
    "reproduced": "it holds",
    "refuted": "the numbers say otherwise",
    "wrong": "false; what is right is shown",
    "misprint": "a slip that nothing rests on",
    "indicated": "it holds on a simulated log",
    "not indicated": "not even there",
    "untestable": "not to be decided here",
}
KEPT = ("source", "statement", "expected", "measured", "verdict", "reading", "privacy")
HEIGHT = 2.9  # inches, of each half of the picture
SCALE = 0.1  # r of Figure 5.1, where the error is plainest


def main() -> None:
    """All of it, from the tree that the command line names."""
    parser = argparse.ArgumentParser(description="write what README.md shows first")
    parser.add_argument("results", nargs="?", type=Path, help="a results tree at paper scale (default: verdicts.json)")
    results: Path | None = parser.parse_args().results
    if results is not None:
        left, right = holds(results), fails(results)  # all is drawn before anything is written
        text = json.dumps(verdicts(results), ensure_ascii=False, indent=1)
        (FRONT / "verdicts.json").write_text(text + "\n", encoding="utf-8")
        save(left, FRONT / "fig5_3.png")
        save(right, FRONT / "fig5_1.png")
    README.write_text(written(README.read_text(encoding="utf-8"), known()), encoding="utf-8")


def known() -> dict[str, Any]:
    """What verdicts.json holds."""
    return dict(strict_json.read(FRONT / "verdicts.json"))


def written(readme: str, told: dict[str, Any]) -> str:
    """README.md with all that is not typed in it."""
    with_verdicts = ROW.sub(lambda row: f"{row[1]} {_of_row(told, row[1])} |", readme)
    with_citation = CITATION.sub(lambda block: f"{block[1]}{bibtex()}{block[2]}", with_verdicts)
    return with_part(with_citation, part(told, sentences()))


def sentences() -> dict[str, list[dict[str, str]]]:
    """The claims that are told of, each with its sentence."""
    return dict(read_yaml(FRONT / "findings.yaml"))


def verdicts(results: Path) -> dict[str, Any]:
    """How many claims of a tree have which verdict, and all that it says of those that are told of."""
    claims = read_rows(results / "claims.csv", COLUMNS) or []
    right = {row["id"]: row["correction"] for row in read_rows(results / "errata.csv", ERRATA_COLUMNS) or []}
    tally = tallied(row["verdict"] for row in claims)
    names = dict.fromkeys(row["experiment"] for row in claims)
    theirs = [row for row in claims if row["reading"] != OURS]
    chosen = {finding["id"] for group in sentences().values() for finding in group}
    return {
        "claims": len(claims),
        "verdicts": tally,
        "of the sources": len(theirs),
        "of the sources, reproduced": sum(row["verdict"] == REPRODUCED for row in theirs),
        "failing": sum(tally.get(verdict, 0) for verdict in FAILING),
        "failing, by exact computation": sum(row["verdict"] in FAILING and row["evidence"] == EXACT for row in claims),
        "failing, of the sources": sum(row["verdict"] in FAILING for row in theirs),
        "failing, privacy over-stated": sum(row["privacy"] == OVERSTATED for row in claims),
        "failing, privacy over-stated, of the sources": sum(row["privacy"] == OVERSTATED for row in theirs),
        "drawn too small by": round(float(_share_below(_of_scale(results))), 4),
        "experiments": {name: tallied(row["verdict"] for row in claims if row["experiment"] == name) for name in names},
        "told": {
            row["id"]: {**{key: row[key] for key in KEPT}, "correction": right.get(row["id"], "")}
            for row in claims
            if row["id"] in chosen
        },
    }


def tallied(found: Iterable[str]) -> dict[str, int]:
    """How often each verdict is there, in the order in which verdicts are told of."""
    tally = Counter(found)
    return {verdict: tally[verdict] for verdict in VERDICTS if tally[verdict]}


def bibtex() -> str:
    """How to cite the project and the thesis, by CITATION.cff."""
    cited = read_yaml(README.parent / "CITATION.cff")
    thesis = next(work for work in cited["references"] if work["type"] == "thesis")
    (author,) = thesis["authors"]
    return (
        f"@software{{{cited['title'].partition(':')[0]},\n"
        f"  author = {{{{{cited['authors'][0]['name']}}}}},\n"
        f"  title = {{{cited['title']}}},\n"
        f"  version = {{{cited['version']}}},\n"
        f"  year = {{{cited['date-released'][:4]}}}\n}}\n"
        f"@phdthesis{{{author['family-names'].lower()}{thesis['year']},\n"
        f"  author = {{{author['family-names']}, {author['given-names']}}},\n"
        f"  title = {{{thesis['title']}}},\n"
        f"  school = {{{thesis['institution']['name']}}},\n"
        f"  year = {{{thesis['year']}}}\n}}\n"
    )


def part(told: dict[str, Any], chosen: dict[str, list[dict[str, str]]]) -> str:
    """The part of README.md: the counts, and the findings with their verdicts."""
    left, right = chosen["picture"]
    counts = told["verdicts"]
    drawn = f"here, at r = {SCALE:g}, by up to {told['drawn too small by']:.0%}"
    private, stated = (told[f"failing, privacy over-stated{of}"] for of in ("", ", of the sources"))
    return "\n".join(
        [
            '<p align="center">',
            f'<img src="docs/front/fig5_3.png" width="400" alt="{left["told"]}">',
            f'<img src="docs/front/fig5_1.png" width="400" alt="{right["told"]}">',
            "</p>",
            "",
            "Left, how far the private answer is from the honest one; lower is better. "
            f"What holds: {left['told']} ({_verdict(told, left)}). Right, what",
            f"does not: {right['told']}; {drawn} ({_verdict(told, right)}).",
            "",
            "## What was found",
            "",
            f"{told['of the sources, reproduced']} of {told['of the sources']} claims of the sources hold as stated.",
            f"With those that are ours, or our reading of words that allow several, {told['claims']} were judged;",
            f"{told['failing']} fail, {told['failing, of the sources']} of them as the sources state them, and "
            f"{told['failing, by exact computation']} by exact computation.",
            f"{private} of these, {stated} as stated, promise an ε or δ that is too small: more can be learnt of a "
            "record than they say.",
            "",
            "| " + " | ".join(counts) + " |",
            "|" + "---|" * len(counts),
            "| " + " | ".join(f"**{number}**" for number in counts.values()) + " |",
            "| " + " | ".join(MEANT[verdict] for verdict in counts) + " |",
            "",
            "Five of those that fail:",
            "",
            *(
                f"- {_source(told, finding)}: {finding['told']} ({_verdict(told, finding)})"
                for finding in chosen["findings"]
            ),
            "",
        ]
    )


def _verdict(told: dict[str, Any], finding: dict[str, str]) -> str:
    row = told["told"][finding["id"]]
    words = [f"**{row['verdict']}**", *(["privacy over-stated"] if row["privacy"] else [])]
    words += ["in our reading"] if row["reading"] == OURS else []
    return f"{', '.join(words)}: `{finding['id']}`"


def _of_row(told: dict[str, Any], cells: str) -> str:
    """The verdicts on the experiments that a row of the table has a command for."""
    of = told["experiments"]
    found = tallied(v for name in ID.findall(cells) for v, number in of.get(name, {}).items() for _ in range(number))
    return ", ".join(f"{number} {verdict}" for verdict, number in found.items())


def _source(told: dict[str, Any], finding: dict[str, str]) -> str:
    source = told["told"][finding["id"]]["source"]
    return f"{source[0].upper()}{source[1:]}"


def with_part(readme: str, text: str) -> str:
    """README.md with this part between its marks."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{text}{END}{after}"


def unheard_of(finding: dict[str, str], row: Row) -> list[str]:
    """The numbers of a sentence that the claim's row does not have, at the digits that the sentence gives."""
    known = [float(n.removesuffix("%")) for n in NUMBER.findall(" ".join(row.values()))]
    return [n for n in NUMBER.findall(NAMES.sub("", finding["told"])) if not any(_rounds(k, n) for k in known)]


def _rounds(known: float, told: str) -> bool:
    share = told.endswith("%")
    number = told.removesuffix("%")
    digits, _, exponent = number.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return abs(known * (100 if share else 1) - float(number)) <= unit / 2 * (1 + 1e-9)


def holds(results: Path) -> Figure:
    """Figure 5.3: KL(P‖A) against ln ε as computed, and the published points."""
    table = _table(results, "fig5_3")
    points = published.points(project.experiment("fig5_3").parameters)
    shown = styles(sorted(set(points["curve"])), MECHANISMS)
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=HEIGHT)
        for name, style in shown.items():
            rows = table[(table["variant"] == "figure") & (table["mechanism"] == name)].sort_values("epsilon")
            axes.plot(
                np.log(rows["epsilon"]),
                rows["kl"],
                style.dash,
                color=style.colour,
                label=re.split(r"[,(]", style.label)[0].strip(),
            )
            mine = points[points["curve"] == name]
            axes.plot(
                mine["x"], mine["y"], color=style.colour, **{**PUBLISHED, "marker": style.marker, "markersize": 3}
            )
        axes.plot([], [], color="0.35", label="as published", **{**PUBLISHED, "markersize": 3})
        axes.set_title("Fig. 5.3: published points on our curves")
        axes.set_xlabel(r"$\ln\,\varepsilon$ at order $\lambda=2$")
        axes.set_ylabel(r"KL$(P\,\|\,\mathcal{A})$ in nats")
        axes.set_ylim(0.0, 0.6)
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def fails(results: Path) -> Figure:
    """Figure 5.1 at one scale: the ε that is drawn, by Corollary 16 as printed, and the level of all neighbours."""
    points = published.points(project.experiment("fig5_1").parameters)
    mine = points[points["curve"] == str(SCALE)]
    true, printed = _of_scale(results)
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=HEIGHT)
        axes.plot(true["order"], true["epsilon"], color=BLACK, label="true level, over all neighbours")
        axes.plot(printed["order"], printed["epsilon"], "--", color=VERMILION, label="Corollary 16 as printed")
        axes.plot(mine["x"], mine["y"], color=VERMILION, label="as published", **{**PUBLISHED, "markersize": 3})
        axes.fill_between(true["order"], printed["epsilon"], true["epsilon"], color=VERMILION, alpha=0.15, linewidth=0)
        axes.set_title(rf"Fig. 5.1: the $\varepsilon$ drawn is too small ($r={SCALE}$)")
        axes.set_xlabel(r"order $\lambda$")
        axes.set_ylabel(r"Rényi level $\varepsilon(\lambda)$ in nats")
        axes.set_xlim(1.0, 20.0)
        axes.set_xticks([1, 5, 10, 15, 20])
        axes.set_ylim(0.0, None)
        figure.legend(loc="outside lower center", ncols=2)
    return figure


def _of_scale(results: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The true levels and the printed ones, order by order."""
    table = _table(results, "fig5_1")
    rows = table[table["scale"] == SCALE].sort_values("order")
    return rows[rows["variant"] == ENUMERATED], rows[rows["variant"] == PRINTED]


def _share_below(levels: tuple[pd.DataFrame, pd.DataFrame]) -> float:
    """By which share of the true level the printed one is too small, at most."""
    true, printed = (level["epsilon"].to_numpy() for level in levels)
    return float(np.max(1.0 - printed / true))


def _table(results: Path, experiment: str) -> pd.DataFrame:
    path = results / "tables" / f"{experiment}.csv"
    table = read_table(path)
    table.attrs.update(strict_json.read(sidecar(path)).get("about", {}))
    return table


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"make.py: {error}")
