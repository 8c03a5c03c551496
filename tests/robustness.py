"""What the tests of robustness tried, expected and saw, kept in results/robustness.csv.

    def test_x(robustness):
        with robustness("kill", "the table of fig5_5, 0.3 s after its start", "the same bytes later") as attempt:
            ...
            attempt.seen = "308 files, all the same"

A test's rows travel with its reports, so also from the workers of pytest-xdist. A run that tries some of it replaces
those rows and leaves the others; so does another Python, which `where` tells apart.
"""

import csv
import io
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from dpsampling.files import write_text
from reproduction.report.tree import ROBUSTNESS_COLUMNS

FILE = Path(__file__).parents[1] / "results" / "robustness.csv"
PROPERTY = "robustness"


@dataclass
class Attempt:
    """One row; `ok` is yes, no, or `skipped` where this machine cannot try it."""

    kind: str
    what: str
    expected: str
    seen: str = "as expected"
    ok: str = "yes"
    seconds: str = ""
    where: str = f"Python {platform.python_version()}"


Record = Callable[[str, str, str], AbstractContextManager[Attempt]]
Key = tuple[str, str, str]


@pytest.fixture
def robustness(request: pytest.FixtureRequest) -> Record:
    """Record an attempt: its kind, what is tried, what is expected; the block sets what is seen."""

    @contextmanager
    def recorded(kind: str, what: str, expected: str) -> Iterator[Attempt]:
        attempt, start = Attempt(kind, what, expected), time.monotonic()
        try:
            yield attempt
        except pytest.skip.Exception as reason:
            attempt.seen, attempt.ok = f"not tried: {reason.msg}", "skipped"
            raise
        except BaseException as error:  # its text may have a path of this machine, or more
            attempt.seen, attempt.ok = attempt.seen.replace("as expected", type(error).__name__), "no"
            raise
        finally:
            attempt.seconds = attempt.seconds or f"{time.monotonic() - start:.1f}"
            request.node.user_properties.append((PROPERTY, asdict(attempt)))

    return recorded


class Rows:
    """The rows of this run, merged into the file at its end."""

    def __init__(self) -> None:
        self.new: dict[Key, dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the rows of a test that is over."""
        if report.when == "teardown":
            self.new |= {_key(row): row for name, row in report.user_properties if name == PROPERTY}  # type: ignore[misc]

    def pytest_sessionfinish(self) -> None:
        """Merge them into the file."""
        if self.new:
            merge(FILE, self.new)


def merge(path: Path, new: dict[Key, dict[str, str]]) -> None:
    """Rows laid over those of a file, in the order of their keys."""
    old = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))) if path.exists() else []
    rows = {_key(row): row for row in old} | new
    text = io.StringIO()
    table = csv.DictWriter(text, ROBUSTNESS_COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(row for _, row in sorted(rows.items()))
    write_text(path, text.getvalue())


def pytest_configure(config: pytest.Config) -> None:
    """Only the process that writes the file gathers rows."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Rows(), "robustness-rows")


def _key(row: dict[str, str]) -> Key:
    return row["kind"], row["what"], row["where"]
