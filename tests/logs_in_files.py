"""A small log in several files, one of them packed, and the same log in one."""

import gzip
import random
from pathlib import Path

SCHEMA = """
title: Ward
file: rows/ward/*.csv*
public: {by: the hospital, "on": 2024-05-31}
unit: row
time: {column: When, format: "%Y-%m-%d", from: 2023-01, to: 2023-06}
region: {column: Ward, keep: [north, south, empty]}
most_outside: 1
features:
  kind: {title: kind, column: Kind, outcomes: [fall, fever]}
  hurt: {title: hurt, any_positive: [Hurt]}
"""
HEADER = "Patient,When,Ward,Kind,Hurt\n"
MANY, ONE = "private/counts/ward-1.npz", "private/counts/whole-1.npz"


def rows(n: int, seed: int) -> str:
    draw = random.Random(seed)
    return "".join(
        f"p{i},2023-{draw.randint(1, 7):02d}-{draw.randint(1, 28):02d},{draw.choice(('north', 'south', 'ship'))},"
        f"{draw.choice(('fall', 'fever', 'pox'))},{draw.choice((0, 0, 1))}\n"
        for i in range(n)
    )


def planted(folder: Path, files: int) -> None:
    """A log in several files, the second one packed, and the same log in one file."""
    (folder / "rows/ward").mkdir(parents=True)
    parts = [rows(60, seed) for seed in range(files)]
    for i, part in enumerate(parts):
        data = (HEADER + part).encode()
        name = f"it's [{i:03d}].csv"
        (folder / "rows/ward" / (f"{name}.gz" if i == 1 else name)).write_bytes(gzip.compress(data) if i == 1 else data)
    (folder / "rows/whole.csv").write_text(HEADER + "".join(parts), encoding="utf-8")
    (folder / "config/logs/ward.yaml").write_text(SCHEMA, encoding="utf-8")
    whole = SCHEMA.replace("rows/ward/*.csv*", "rows/whole.csv")
    (folder / "config/logs/whole.yaml").write_text(whole, encoding="utf-8")
