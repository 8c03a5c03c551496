"""Releases for tests: values, and folders that the command makes of a small file."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from dpsampling.cli import main
from dpsampling.event_logs.mechanisms import neighbours
from dpsampling.event_logs.schema import Unit
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.guarantee import Pure
from dpsampling.release import publish
from dpsampling.release.contents import Answered, Release, Spent

SURVEY = "".join(f"{i},{'yes' if i % 3 else 'no'}\n" for i in range(60))


def proportion(epsilon: float = 1.0, unit: str = "respondent", most: int = 1, **changes) -> Release:
    """A proportion, nobody's."""
    who = Unit(unit, most)
    made = Release(
        kind="proportion",
        title="vaccinated: yes or no",
        on="2026-01-31",
        unit=who,
        identified=most > 1,
        declared={"by": ["whoever gave the command", "2026-01-31"], "column": "vaccinated", "yes": "yes", "no": "no"},
        mechanism={"name": "noisy counts", "rate": str(Fraction(repr(epsilon)) / (2 * most))},
        guarantee=Pure(epsilon, conditions=(neighbours(who),)),
        budget=Spent(total=4 * epsilon, spent=epsilon, left=3 * epsilon, charged=epsilon),
        numbers=FixedPoint.of([40, 21], 0),
        settings={"level": 0.9, "prior": [1.0, 1.0]},
        chance=7,
        made_with=publish.made_with(),
        answered=Answered(4.0, 1),
    )
    return replace(made, **changes)


def survey(folder: Path) -> Path:
    """A file of answers."""
    path = folder / "survey.csv"
    path.write_text(f"id,vaccinated\n{SURVEY}", encoding="utf-8")
    return path


def released(data: Path, out: Path, *more: str) -> int:
    """The command, over in a moment."""
    words = f"release proportion {data} --column vaccinated --yes yes --no no --unit respondent --epsilon 1 --budget 3"
    return main([*words.split(), "--out", str(out), "--quantum", "0.05", *more])


WARDS = """
title: Wards
public: {by: the register, on: 2024-05-31}
time: {column: when, format: "%Y-%m-%d", from: 2022-01, to: 2022-04}
region: {column: ward, keep: [north, south, nobody's]}
features:
  kind: {column: kind, outcomes: [fall, fever]}
  hurt: {any_positive: [hurt]}
"""


def wards(folder: Path) -> Path:
    """Events, with their description beside them."""
    lines = [
        f"{i % 70},2022-0{i % 4 + 1}-11,{('north', 'south')[i % 2]},{('fall', 'fever')[i % 3 > 0]},{i % 5 // 4}\n"
        for i in range(200)
    ]
    (folder / "wards.yaml").write_text(WARDS, encoding="utf-8")
    path = folder / "wards.csv"
    path.write_text("patient,when,ward,kind,hurt\n" + "".join(lines), encoding="utf-8")
    return path


def of_wards(kind: str, data: Path, out: Path) -> int:
    words = f"release {kind} --schema {data.with_suffix('.yaml')} --unit patient --id patient --max-per-unit 3"
    return main([*words.split(), "--budget", "3", "--quantum", "0.05", "--out", str(out), "--", str(data)])


def modelled(data: Path, out: Path) -> int:
    """The command that releases a hidden Markov model."""
    return of_wards("hmm --states 1 --epsilon 2", data, out)


def tabled(data: Path, out: Path) -> int:
    """The command that releases a table."""
    return of_wards("table --columns ward kind --epsilon 1", data, out)
