"""A kernel from a file, and Theorem 15 for it as a table."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpsampling.amplification.kernels import Kernel
from dpsampling.amplification.mixing import amplified
from dpsampling.errors import InputError
from dpsampling.files import regular_files, strict_csv
from dpsampling.privacy.guarantee import Approximate

MOST_ROWS = 4_000  # every pair of rows is compared, and tables of as many numbers are held at once
COLUMNS = ("condition", "gamma", "epsilon", "delta")


def read(path: Path) -> Kernel:
    """A CSV file of numbers alone, one row an input and one column an output; empty lines are skipped."""
    remedy = "a kernel is a CSV file of numbers"
    try:
        with regular_files.text(path, strict_csv.LARGEST) as lines:
            rows = [row for _, row in strict_csv.rows(lines, str(path), remedy)]
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; name a CSV file with one row an input.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); {remedy}.") from error
    if not rows:
        raise InputError(f"{path} is empty; a kernel has one row an input and one column an output.")
    if len(rows) > MOST_ROWS:
        raise InputError(f"{path} has {len(rows)} rows; a kernel has at most {MOST_ROWS} inputs, so join some.")
    numbers = []
    for x, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InputError(
                f"{path} has {len(row)} numbers in row {x} and {len(rows[0])} in row 1; they must be as many."
            )
        for y, cell in enumerate(row, start=1):
            try:
                numbers.append(float(cell))
            except ValueError:
                raise InputError(
                    f"{path} has '{cell.strip()}' in row {x}, column {y}; a kernel's file has numbers and no headings."
                ) from None
    width = len(rows[0])
    try:
        return Kernel.of([numbers[i : i + width] for i in range(0, len(numbers), width)])
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def table(kernel: Kernel, epsilon: float, delta: float) -> pd.DataFrame:
    """One row a condition: the kernel's coefficient, and the ε′ and δ′ it leaves of (ε, δ)."""
    found = amplified(Approximate(epsilon, delta), kernel)
    rows = [(name, gamma, bound.epsilon, bound.delta) for name, (gamma, bound) in found.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))
