"""A log whose rows are somebody's: what is exact about them stays in a folder of its own and not in results/."""

import csv
import json
import random
import re
import stat
import zlib
from collections import Counter
from statistics import median

import logs_in_files
from conftest import QUICK

OVERLAY = """
seed: 3
run: [fig4_6, fig4_7, states_used]
audit: {draws: 2000, orders: [2], epsilons: [1], mechanisms: [diffused, secret-sample]}
experiments:
  fig4_6: {rows: 0.02, logs: [ward, afghanistan], epsilons: [1], splits: 2, iterations: 12, burn_in: 8}
  fig4_7: {rows: 0.02, log: ward, states: 2, iterations: 12, burn_in: 8}
  states_used: {rows: 0.02, logs: [ward], epsilons: [1], repeats: 2, iterations: 12, burn_in: 8}
"""
SCHEMA = logs_in_files.SCHEMA.replace("rows/ward/*.csv*", "data/raw/ward.csv").replace(
    "unit: row", "unit: {name: patient, column: Patient, most: 2}"
)
RARE, SHIP = "zanzibar-pox", "quarantine-ship"


def planted(path):
    """Rows of 1 409 patients, one of them with a disease that nobody else has, and one on a ship.

    What is exact about them and must not be told: how many there are, by ward, month and outcome.
    """
    draw = random.Random(5)
    rows = [
        (f"2023-{draw.randint(1, 6):02d}-{draw.randint(1, 28):02d}", ward, kind, draw.choice((0, 0, 0, 1)))
        for ward, kind in (("north", "fall"), ("south", "fever"))
        for _ in range(draw.randint(700, 710))
    ]
    rows += [("2023-02-03", "north", RARE, 1), ("2023-03-04", SHIP, "fall", 0)]
    draw.shuffle(rows)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Patient", "When", "Ward", "Kind", "Hurt"])
        writer.writerows((f"p{i}", *row) for i, row in enumerate(rows))
    kept = [row for row in rows if row[1] != SHIP]
    cells = Counter((ward, when[:7]) for when, ward, _, _ in kept)
    sizes = [cells[ward, f"2023-{month:02d}"] for ward in ("north", "south", "empty") for month in range(1, 7)]
    totals = {
        len(rows),
        len(kept),
        *Counter(row[1] for row in kept).values(),
        *Counter(row[2] for row in kept).values(),
    }
    return {str(n) for n in totals if n > 1} | {f"{median(sizes):g}", f"{float(median(sizes))}"}


def told(path) -> str:
    """All text of a file, with what a PDF or PNG holds compressed."""
    whole = path.read_bytes()
    parts = [whole]
    for found in re.finditer(rb"stream\r?\n|IDAT|zTXt", whole):
        unpacked = zlib.decompressobj()
        try:
            parts.append(unpacked.decompress(whole[found.end() :]))
        except zlib.error:
            continue
    return b"\n".join(parts).decode("utf-8", errors="replace")


def test_nothing_exact_about_private_rows_is_among_the_results(project_copy):
    folder = project_copy.folder
    (folder / "data/raw").mkdir(parents=True, exist_ok=True)
    exact = planted(folder / "data/raw/ward.csv")
    (folder / "config/logs/ward.yaml").write_text(SCHEMA, encoding="utf-8")
    (folder / "overlay.yaml").write_text(OVERLAY, encoding="utf-8")
    project_copy.run(*QUICK, "all")

    results = [path for path in (folder / "results").rglob("*") if path.is_file()]
    assert len(results) > 30
    number = re.compile(r"(?<![\w.,-])(" + "|".join(map(re.escape, sorted(exact))) + r")(?![\w.])")
    for path in results:
        text = told(path)
        assert RARE not in text, path
        assert SHIP not in text, path
        # Coordinates and pixels are numbers too, and so are the published counts.
        if path.suffix not in {".pdf", ".png", ".npz"} and "afghanistan" not in str(path):
            assert not number.search(re.sub(r"data:image[^\"]*", "", text)), path
    assert not [path for path in results if "ward" in str(path.relative_to(folder))]

    # Both are in the private folder, which shows that they would be found: and it is its owner's alone.
    private = folder / "private/quick"
    reports = "".join(told(path) for path in private.rglob("*.log"))
    assert SHIP in reports or number.search(reports)
    assert {path.name for path in (private / "counts").iterdir()} == {"ward-0.02.npz"}
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o700
    exact_files = [path for kind in ("counts", "fits") for path in (private / kind).rglob("*") if path.is_file()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in exact_files} == {0o600}

    # What is made of it among the results is its owner's too, until they open it.
    made = ("tables/fig4_7.csv", "figures/fig4_7.png", "claims/fig4_7.csv", "claims.csv", "report.html")
    assert {stat.S_IMODE((folder / "results/quick" / name).stat().st_mode) for name in made} == {0o600}

    # A log in the same run whose counts are published is where everything is that anybody may read, and has no rows.
    assert (folder / "results/quick/counts/afghanistan-0.02.npz").is_file()
    assert not (private / "counts/afghanistan-0.02.npz").exists()
    about = json.loads((folder / "results/quick/tables/fig4_6.provenance.json").read_text(encoding="utf-8"))["about"]
    assert about["inputs"]["afghanistan"]["origin"] == "published"
    assert about["inputs"]["afghanistan"]["entries"] == 75907
    assert about["inputs"]["ward"]["origin"] == "file"
    assert "entries" not in about["inputs"]["ward"]
    ledger = (folder / "results/quick/ledger.csv").read_text(encoding="utf-8")
    assert ledger.count("nothing: evaluation with a public seed") == ledger.count("\n") - 1
    assert "replace all rows of one patient (at most 2)" in ledger
    assert project_copy.planned(*QUICK, "all") == []
