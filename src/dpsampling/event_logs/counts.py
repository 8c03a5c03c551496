"""n_{r,t,d,j}: how many entries of region r and month t have outcome j of feature d; all that the models see of a log.

One entry adds 1 to one outcome of every feature, so that each feature's counts in a cell sum to the cell's entries.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dpsampling.errors import InputError
from dpsampling.event_logs import aggregates, archive, described, features, log_files, reader, simulator
from dpsampling.event_logs.described import Described
from dpsampling.event_logs.features import FeatureTable
from dpsampling.event_logs.schema import ROW, LogSchema, Unit
from dpsampling.event_logs.simulator import SimulatedLog
from dpsampling.numerics.arrays import Integers

LARGEST = 2**40  # entries of a cell


@dataclass(frozen=True)
class EventCounts(Described):
    """The counts of one log."""

    counts: Integers  # (regions, months, J), the features' outcomes side by side
    unit: Unit = ROW  # who adds at most unit.most entries

    def __post_init__(self) -> None:
        shape = (len(self.regions), len(self.months), sum(self.sizes))
        if len(self.features) != len(self.outcomes) or not self.features or not all(self.sizes):
            raise InputError(f"counts of {self.log} have {len(self.features)} features and other outcomes.")
        if (
            self.counts.shape != shape
            or self.counts.dtype != np.int64
            or not np.all((self.counts >= 0) & (self.counts <= LARGEST))
        ):
            raise InputError(f"counts of {self.log} are not whole numbers from 0 to {LARGEST} in the shape {shape}.")
        sums = np.add.reduceat(self.counts, self.offsets[:-1], axis=2)
        if np.any(sums != sums[..., :1]):
            raise InputError(f"counts of {self.log} have features that disagree on the entries of a cell.")

    @property
    def entries(self) -> Integers:
        """The number of entries of each cell, (regions, months)."""
        return self.counts[:, :, : self.sizes[0]].sum(axis=2)


def count(table: FeatureTable) -> EventCounts:
    """Count a table of features."""
    cell = table.region.astype(np.int64) * len(table.months) + table.month
    cells = len(table.regions) * len(table.months)
    blocks = [
        features.tallied(cell * len(outcomes) + codes, table.times, cells * len(outcomes)).reshape(
            len(table.regions), len(table.months), len(outcomes)
        )
        for outcomes, codes in zip(table.outcomes, table.codes, strict=True)
    ]
    return EventCounts(**table.public, counts=np.concatenate(blocks, axis=2).astype(np.int64), unit=table.unit)


def put(path: Path, counts: EventCounts) -> None:
    """Write counts into a path that is staged already."""
    public = counts.public
    outcomes = public.pop("outcomes")  # which stand last in these archives
    about = {**public, "unit": asdict(counts.unit), "outcomes": outcomes}
    archive.put(path, "counts", about, {"counts": counts.counts})


def load(path: Path) -> EventCounts:
    """Read what `put` wrote, or an InputError."""
    about, arrays = archive.get(Path(path), "counts")
    try:
        return EventCounts(**described.of_archive(about), counts=arrays["counts"], unit=Unit(**about["unit"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{path} does not hold counts; make it again with 'dpsampling warlogs count'.") from error


def of_log(schema: LogSchema, *, seed: int, rows: float = 1.0) -> EventCounts:
    """Return counts of the schema's files; if it names none its published ones, and else those of a simulated log.

    Args:
        schema: what is public of the log.
        seed: that of the simulation, if there is one.
        rows: by how much a simulation scales the number of rows, above 0 and at most 100.
    """
    raw = schema.located()
    if raw:
        entries, told = reader.read(schema, raw, origin="file")
        reader.tell(log_files.called(raw), told)
        return count(features.extract(schema, entries)[0])
    if schema.published is not None:
        return of_published(schema)
    return of_simulated(simulator.simulate(schema, seed, rows))


def of_published(schema: LogSchema) -> EventCounts:
    """The published counts that the schema names, or an InputError."""
    path = schema.counted()
    if path is None:
        raise InputError(f"log {schema.name} names no published counts; make them of its features, with --features.")
    found = aggregates.read(schema, path)
    return EventCounts(**described.of_schema(schema, "published"), counts=found, unit=schema.unit)


def of_simulated(simulated: SimulatedLog) -> EventCounts:
    """Counts of a simulated log, by way of its file."""
    schema = simulated.schema
    if schema.unit_column is not None:
        raise InputError(
            f"log {schema.name} is simulated, and invented rows are about no {schema.unit.name}; set unit=row."
        )
    with TemporaryDirectory() as folder:
        raw = Path(folder) / "raw.csv"
        simulator.put_raw(raw, [simulated])
        entries, _ = reader.read(schema, raw, origin="simulated")
    return count(features.extract(schema, entries)[0])
