"""How reading a log grows with its rows, beside DuckDB's and polars' grouping of the same file; a process each.

python benchmarks/event_logs.py                  all of it, printed; 4 GB in a temporary folder for its largest file
python benchmarks/event_logs.py 4000000          no file of more rows
python benchmarks/event_logs.py DuckDB FILE      one reading, as the others call it: rows, groups, seconds, MB
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SIZES = (400_000, 4_000_000, 40_000_000)
LOG = "iraq"
ROW = 110  # bytes of one, about
THREADS = 2
PATIENTS, MOST = 1_000_000, 3

WARDS = {
    "title": "Wards",
    "public": {"by": "the benchmark", "on": "2024-05-31"},
    "unit": {"name": "patient", "column": "patient", "most": MOST},
    "time": {"column": "day", "format": "%Y-%m-%d", "from": "2004-01", "to": "2007-12"},
    "region": {"column": "ward", "keep": [f"W{i}" for i in range(10)]},
    "features": {"kind": {"column": "kind", "outcomes": [f"k{i}" for i in range(10)]}, "hurt": {"any_positive": ["n"]}},
}


# -- files of any size ------------------------------------------------------------------------------------------------


class Lines(NamedTuple):
    """Rows as bytes, and where in them digits may be drawn anew."""

    head: bytes
    body: NDArray[np.uint8]
    begins: NDArray[np.int64]  # of lines


def war_log(rows: int) -> Lines:
    """A simulated log of this many rows or nearly so, of one length of time."""
    from dpsampling.event_logs import schema, simulator

    known = schema.load(LOG)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "raw.csv"
        whole = simulator.simulate(known, 1, 1.0).minute.size
        simulator.put_raw(path, [simulator.simulate(known, 1, rows / whole)])
        head, _, body = path.read_bytes().partition(b"\n")
    data = np.frombuffer(body, np.uint8).copy()
    ends = np.flatnonzero(data == ord("\n"))
    return Lines(head + b"\n", data, np.concatenate([[0], ends[:-1] + 1]) + body.index(b"20"))


MINUTE = ((8, 28), (11, 24), (14, 60))  # where a time has its day, hour and minute, and below what they are
SECOND = (*MINUTE, (17, 60))


def shifted(lines: Lines, copies: int, digits: Sequence[tuple[int, int]] = MINUTE, seed: int = 1) -> Iterator[bytes]:
    """The rows again and again, at other days, hours and minutes of their months."""
    rng = np.random.default_rng(seed)
    yield lines.head
    body = lines.body.copy()
    for _ in range(copies):
        for place, most in digits:
            drawn = rng.integers(0, most, lines.begins.size) + (place == 8)
            body[lines.begins + place] = ord("0") + drawn // 10
            body[lines.begins + place + 1] = ord("0") + drawn % 10
        yield body.tobytes()


def wards(rows: int, seed: int = 1) -> Iterator[bytes]:
    """Rows of patients, some of whom have many."""
    rng = np.random.default_rng(seed)
    yield b"patient,day,ward,kind,n\n"
    width = len(b"P0000000,2004-01-01,W0,k0,0\n")
    for begin in range(0, rows, 500_000):
        count = min(500_000, rows - begin)
        body = np.tile(np.frombuffer(b"P0000000,2004-01-01,W0,k0,0\n", np.uint8), (count, 1))
        who = (PATIENTS * rng.random(count) ** 2).astype(np.int64)
        for place in range(7):
            body[:, 7 - place] += (who // 10**place % 10).astype(np.uint8)
        for place, most in ((12, 4), (15, 9), (17, 3), (21, 10), (24, 10), (26, 2)):
            body[:, place] += rng.integers(0, most, count).astype(np.uint8)
        body[:, 18] = ord("1") + rng.integers(0, 8, count).astype(np.uint8)
        assert body.shape[1] == width
        yield body.tobytes()


def put(path: Path, blocks: Iterator[bytes]) -> Path:
    """Blocks one behind another; packed if the name says so."""
    opened: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
    if path.suffix == ".zst":
        import zstandard

        opened = zstandard.open
    with opened(path, "wb", **({"compresslevel": 6} if path.suffix == ".gz" else {})) as stream:
        for block in blocks:
            stream.write(block)
    return path


# -- one reading, in a process of its own ---------------------------------------------------------------------------


def ours(path: str, log: Any = None) -> tuple[int, int]:
    """Rows, and how many different ones are kept of them."""
    from dpsampling.event_logs import reader, schema

    entries, report = reader.read(schema.load(LOG) if log is None else log, path)
    return report["rows"], entries.region.size


def ours_by_patient(path: str) -> tuple[int, int]:
    """The same where of each patient so many rows are kept."""
    from dpsampling.event_logs import schema

    return ours(path, schema.parse(WARDS, "wards"))


def duckdb(path: str) -> tuple[int, int]:
    """The same groups by SQL, out of core; its types are told, as a schema tells them."""
    import duckdb as engine

    from dpsampling.event_logs import schema

    log = schema.load(LOG)
    types = {log.time_column: "TIMESTAMP"} | dict.fromkeys(log.count_columns, "INTEGER")
    some = ", ".join(f"({column} > 0) AS {column}" for column in log.count_columns)
    source = f"read_csv(?, header=true, types={types})"
    if path.endswith(".parquet"):
        source = "read_parquet(?)"
    query = f"""SELECT date_trunc('month', {log.time_column}) AS month, region, type, category, {some}, count(*) AS n
        FROM {source} GROUP BY ALL"""
    connection = engine.connect(config={"threads": THREADS})
    counts = [row[-1] for row in connection.execute(query, [path]).fetchall()]
    return sum(counts), len(counts)


def polars(path: str) -> tuple[int, int]:
    """The same groups by its streaming engine."""
    import polars as engine

    from dpsampling.event_logs import schema

    log = schema.load(LOG)
    if path.endswith(".parquet"):
        frame = engine.scan_parquet(path)
    else:
        types = {log.time_column: engine.Datetime} | dict.fromkeys(log.count_columns, engine.Int32)
        frame = engine.scan_csv(path, schema_overrides=types, try_parse_dates=True)
    month = engine.col(log.time_column).dt.truncate("1mo")
    some = [engine.col(column) > 0 for column in log.count_columns]
    grouped = frame.group_by(month, "region", "type", "category", *some).agg(n=engine.len())
    counts = grouped.collect(engine="streaming")["n"]
    return int(counts.sum()), len(counts)


READINGS = {"dpsampling": ours, "by patient": ours_by_patient, "DuckDB": duckdb, "polars": polars}


def child(name: str, path: str) -> None:
    """Read a few rows, for what is compiled, and then all; the greatest memory is this process's own."""
    import dpsampling.event_logs.reader  # noqa: F401

    reading = READINGS[name]
    few = Path(path).with_suffix(".few.csv")
    if few.exists():
        reading(str(few))
    start, busy = time.perf_counter(), time.process_time()
    rows, groups = reading(path)
    seconds, cpu = time.perf_counter() - start, time.process_time() - busy
    # Not ru_maxrss, which a process has of the one that started it.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    memory = next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))
    print(json.dumps([rows, groups, seconds, cpu, memory]))


class Cost(NamedTuple):
    """What one reading took."""

    rows: int
    groups: int
    seconds: float
    cpu: float  # seconds of all threads
    memory: float  # MB

    @property
    def rate(self) -> float:
        """Million rows a second."""
        return self.rows / self.seconds / 1e6


def cost(name: str, path: Path, repeats: int = 2) -> Cost:
    """The quickest of some readings, and the most memory that any took."""
    environment = {**os.environ, "POLARS_MAX_THREADS": str(THREADS), "NUMBA_NUM_THREADS": str(THREADS)}
    found = []
    for _ in range(repeats):
        command = [sys.executable, __file__, name, str(path)]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        found.append(Cost(*json.loads(done.stdout.splitlines()[-1])))
    return min(found, key=lambda told: told.seconds)._replace(memory=max(told.memory for told in found))


def exponent(sizes: list[int], values: list[float]) -> float:
    """b of value = a·size^b, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


# -- tables -----------------------------------------------------------------------------------------------------------


def growth(folder: Path, base: Lines, most: int) -> list[str]:
    """Time and memory by rows, with the exponents of both."""
    rows: list[str] = []
    costs: dict[str, list[Cost]] = {"dpsampling": [], "DuckDB": [], "polars": []}
    for size in SIZES:
        if size > most:
            continue
        if shutil.disk_usage(folder).free < 2 * ROW * size:
            rows.append(f"| {size} | no {2 * ROW * size / 1e9:.0f} GB are free | | | | | | | |")
            continue
        path = put(folder / "log.csv", shifted(base, round(size / base.begins.size)))
        few(path, base)
        for name, told in costs.items():
            told.append(cost(name, path, 3 if size < 10**6 else 1))
        own, *others = (told[-1] for told in costs.values())
        ratios = " | ".join(
            f"{seconds:.2f} s, {own.seconds / seconds:.2f} | {memory:.0f} MB, {own.memory / memory:.2f}"
            for _, _, seconds, _, memory in others
        )
        rows.append(
            f"| {own.rows} | {own.seconds:.2f} | {own.cpu:.2f} | {own.rate:.2f} | {own.memory:.0f} | {ratios} |"
        )
        print(rows[-1], file=sys.stderr)
        path.unlink()
    fitted = [
        f"{name}: time {exponent([c.rows for c in told], [c.seconds for c in told]):.2f}, "
        f"memory {exponent([c.rows for c in told], [c.memory for c in told]):.2f}"
        for name, told in costs.items()
        if len(told) > 1
    ]
    return [
        "### Growth",
        "",
        f"CSV in the format of {LOG}, {THREADS} threads, and the same groups by others: their cost, and ours over it.",
        "",
        "| rows | s | CPU, s | million rows a second | MB | DuckDB, time | memory | polars, time | memory |",
        "|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        *rows,
        "",
        f"Exponents of growth in the rows. {'; '.join(fitted)}.",
    ]


def few(path: Path, base: Lines) -> None:
    """A hundred rows beside a file, so that what is compiled is compiled before the clock starts."""
    few_lines = base.body[: base.begins[100] - base.begins[0]].tobytes()
    path.with_suffix(".few.csv").write_bytes(base.head + few_lines)


def packings(folder: Path, base: Lines, most: int) -> list[str]:
    """The same rows, plain and packed."""
    copies = max(1, round(min(most, 4_000_000) / base.begins.size))
    rows = []
    for ending in ("csv", "seconds.csv", "csv.gz", "csv.zst", "parquet"):
        path = folder / f"log.{ending}"
        if ending == "parquet":
            import duckdb as engine

            engine.execute(f"COPY (FROM read_csv('{put(folder / 'all.csv', shifted(base, copies))}')) TO '{path}'")
        else:
            put(path, shifted(base, copies, SECOND if "seconds" in ending else MINUTE))
        few(path, base)
        own, other = cost("dpsampling", path), cost("DuckDB", path)
        what = ending.replace("seconds.csv", "csv, times to the second")
        rows.append(
            f"| {what} | {path.stat().st_size / 1e6:.0f} | {own.rows} | {own.seconds:.2f} | {own.cpu:.2f} "
            f"| {own.rate:.2f} | {own.memory:.0f} | {other.seconds:.2f} s, {own.seconds / other.seconds:.2f} |"
        )
    head = [
        "| file | its MB | rows | s | CPU, s | million rows a second | MB | DuckDB, time |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    return ["### As it is packed", "", *head, *rows]


def patients(folder: Path, most: int) -> list[str]:
    """At most so many rows of each patient."""
    path = put(folder / "wards.csv", wards(min(most, 4_000_000)))
    path.with_suffix(".few.csv").write_bytes(b"".join(wards(100)))
    told = cost("by patient", path)
    return [
        "### At most so many rows of each patient",
        "",
        f"{told.rows} rows of {PATIENTS} patients, at most {MOST} of each: {told.seconds:.2f} s "
        f"({told.rate:.2f} million rows a second), {told.memory:.0f} MB.",
    ]


# -- what others make of malformed files ------------------------------------------------------------------------------

MALFORMED: Mapping[str, bytes] = {
    "whole": b"a,b,c\n1,2,3\n4,5,6\n",
    "no last line end": b"a,b,c\n1,2,3\n4,5,6",
    "carriage returns": b"a,b,c\r1,2,3\r4,5,6\r",
    "line ends of three kinds": b"a,b,c\r\n1,2,3\n4,5,6\r7,8,9\n",
    "empty lines": b"a,b,c\n\n1,2,3\n\n\n4,5,6\n",
    "a short row": b"a,b,c\n1,2,3\n4,5\n7,8,9\n",
    "a long row": b"a,b,c\n1,2,3\n4,5,6,6\n7,8,9\n",
    "most rows long": b"a,b,c\n" + b"1,2,3,4\n" * 5 + b"7,8,9\n",
    "a quote within a field": b'a,b,c\n1,2"2,3\n4,5,6\n',
    "text behind a quoted field": b'a,b,c\n1,"2"x,3\n4,5,6\n',
    "white space before a quote": b'a,b,c\n1, "2,2",3\n4,5,6\n',
    "white space behind a quote": b'a,b,c\n1,"2,2" ,3\n4,5,6\n',
    "a line end in quotes": b'a,b,c\n1,"2\n2",3\n4,5,6\n',
    "a quote that nobody closes": b'a,b,c\n1,2,3\n4,"5,6\n7,8,9\n',
    "quotes doubled in none": b'a,b,c\n1,2""2,3\n4,5,6\n',
    "a zero byte": b"a,b,c\n1,2\0,3\n4,5,6\n",
    "a byte that is no UTF-8": b"a,b,c\n1,\xe9,3\n4,5,6\n",
    "a mark of byte order": b"\xef\xbb\xbfa,b,c\n1,2,3\n4,5,6\n",
    "a header alone": b"a,b,c\n",
    "nothing": b"",
    "one name twice": b"a,a,b,c\n1,2,3,4\n",
    "words after numbers": b"a,b,c\n" + b"1,2,3\n" * 30_000 + b"x,y,z\n",
    "semicolons": b"a;b;c\n1;2;3\n4;5;6\n",
    "semicolons in one field": b"a,b,c\n1;1,2;2,3;3\n4;4,5;5,6;6\n",
    "a comment": b"# exported\na,b,c\n1,2,3\n4,5,6\n",
}


DIALECT = """auto_detect=false, header=true, delim=',', quote='"', escape='"',
    columns={a: 'VARCHAR', b: 'VARCHAR', c: 'VARCHAR'}"""
OPTIONS = ("strict_mode=true", "strict_mode=false", "store_rejects=true")


def malformed(folder: Path) -> list[str]:
    """How many rows of three fields each makes of a file, or that it refuses the file."""
    rows = []
    for name, content in MALFORMED.items():
        path = folder / "malformed.csv"
        path.write_bytes(content)
        told = [by_csv(path), by_ours(path), *(by_duckdb(path, option) for option in OPTIONS)]
        rows.append(f"| {name} | {' | '.join(told)} |")
    head = [
        "| file | Python's csv | dpsampling | DuckDB, strict | DuckDB, not strict | DuckDB, rejects stored |",
        "|---|---|---|---|---|---|",
    ]
    return [
        "## Event logs",
        "",
        "### Malformed files",
        "",
        "Rows of three fields, and others that were told.",
        "",
        *head,
        *rows,
    ]


def by_csv(path: Path) -> str:
    """Rows by Python's csv, which knows of no columns."""
    try:
        rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    except UnicodeDecodeError:
        return "refused: encoding"
    found = [row for row in rows if row][1:]
    whole = sum(len(row) == 3 for row in found)
    return f"{whole}" + (f", {len(found) - whole} of other widths" if len(found) > whole else "")


def by_ours(path: Path) -> str:
    """Rows by this project's reader of three columns."""
    from dpsampling.errors import InputError
    from dpsampling.event_logs import reader, schema

    features = {column: {"column": column, "outcomes": ["x"]} for column in "abc"}
    described = {"title": "x", "public": WARDS["public"], "unit": "row", "most_unread": 1, "features": features}
    try:
        _, report = reader.read(schema.parse(described, "x", events=False), path)
    except InputError as refusal:
        said = str(refusal).removeprefix(str(path)).lstrip(":, ").partition(";")[0].partition(",")[0]
        return f"refused: {said.rstrip('.')}"
    left = sum(told["rows"] for told in report["left out"].values())
    return f"{report['kept']}" + (f", {left} left out" if left else "")


def by_duckdb(path: Path, option: str) -> str:
    """Rows by DuckDB, which is told all that a schema knows."""
    import duckdb as engine

    connection = engine.connect()
    try:
        rows = connection.execute(f"SELECT * FROM read_csv(?, {DIALECT}, {option})", [str(path)]).fetchall()
    except engine.Error as error:
        return f"refused: {str(error).splitlines()[0].partition(':')[0]}"
    told = f"{len(rows)}"
    if "rejects" in option:
        rejected = connection.execute("SELECT count(*) FROM reject_errors").fetchall()[0][0]
        told += f", {rejected} rejected" if rejected else ""
    return told


def event_logs(most: int = SIZES[-1]) -> Iterator[str]:
    """All tables, each as soon as it is measured."""
    base = war_log(SIZES[0])
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        yield from (*malformed(folder), "")
        yield from (*growth(folder, base, most), "")
        yield from (*packings(folder, base, most), "")
        yield from patients(folder, most)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        child(*sys.argv[1:])
    else:
        for line in event_logs(*map(int, sys.argv[1:])):
            print(line, flush=True)
