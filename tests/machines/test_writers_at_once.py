"""Four writers of one file at once: each file whole, and nothing left."""

import subprocess
import sys
from pathlib import Path

import pytest

from robustness import Record

WRITERS = 4
TEXT = "import sys\nfrom pathlib import Path\nfrom dpsampling.files import write_text\n" + (
    "for i in range(100):\n"
    "    write_text(Path(sys.argv[1]), sys.argv[2] * 100_000)\n"
    "    assert len(set(Path(sys.argv[1]).read_text())) == 1\n"
)
TABLE = ["-m", "dpsampling", "table", "fig5_2", "--set", "orders=[2]", "--set", "scales=[1]", "--out"]


def all_at_once(commands: list[list[str]]) -> None:
    """All of them have to end well."""
    running = [subprocess.Popen([sys.executable, *command]) for command in commands]
    assert [process.wait(300) for process in running] == [0] * len(commands)


def test_four_writers_of_one_text(tmp_path: Path, robustness: Record) -> None:
    with robustness("concurrency", "four writers of one text, 100 times each", "a whole text each time, nothing left"):
        all_at_once([["-c", TEXT, str(tmp_path / "t.txt"), letter] for letter in "abcd"])
        assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]


@pytest.mark.slow
def test_four_writers_of_one_table(tmp_path: Path, robustness: Record) -> None:
    with robustness("concurrency", "four commands that write one table", "the same bytes as one of them, nothing left"):
        all_at_once([[*TABLE, str(tmp_path / "alone" / "t.csv")]])
        all_at_once([[*TABLE, str(tmp_path / "at once" / "t.csv")]] * WRITERS)
        assert {path.name for path in (tmp_path / "at once").iterdir()} == {"t.csv", "t.provenance.json"}
        assert (tmp_path / "at once" / "t.csv").read_bytes() == (tmp_path / "alone" / "t.csv").read_bytes()
