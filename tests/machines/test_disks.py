"""Disks that are full, and folders that may not be written to: a sentence, and everything as it was."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.attempts import attempted, contents, faults_of
from hostile.readers import READERS, Reader

REFUSED = "exit code 2, one sentence, everything as it was"
NOBODY = 65534
WRITERS = {reader.arguments[-1].partition(".")[2]: reader for readers in READERS.values() for reader in readers}


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A file system of a megabyte, in memory."""
    command = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=755", "none", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False) if shutil.which("mount") else None
    if mounted is None or mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def with_inputs(valid: Path, reader: Reader) -> list[str]:
    """The command line of a writer, its inputs beside the folder in which it works."""
    *words, out = reader.arguments
    return [*(str(valid / word) if (valid / word).exists() else word for word in words), out]


@pytest.mark.parametrize("left", [0, 4096])
@pytest.mark.parametrize("ending", WRITERS)
def test_a_full_disk(ending, left, running, valid, tmp_path, robustness):
    with robustness("full disk", f"{ending} with {left} bytes left", REFUSED) as attempt, small_disk(tmp_path):
        old = tmp_path / WRITERS[ending].arguments[-1]
        old.write_bytes(b"as it was")
        with contextlib.suppress(OSError), (tmp_path / "filler").open("wb", buffering=0) as filler:
            while filler.write(bytes(4096)):
                pass
        os.truncate(tmp_path / "filler", (tmp_path / "filler").stat().st_size - left)
        done = attempted(running, tmp_path, with_inputs(valid, WRITERS[ending]))
        assert done.code == 2 or left
        assert done.code == 0 or old.read_bytes() == b"as it was"
        attempt.seen = f"exit code {done.code}"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that somebody else can enter, which is not so of pytest's."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("ending", WRITERS)
def test_a_folder_that_may_only_be_read(ending, running, valid, open_folder, robustness):
    with robustness("read-only", f"{ending} into a folder of somebody else", REFUSED) as attempt:
        shutil.copytree(valid, open_folder / "in").chmod(0o755)
        before = contents(open_folder)
        done = running.run(with_inputs(open_folder / "in", WRITERS[ending]), open_folder, user=NOBODY)
        assert done.code == 2, done.err
        assert faults_of(done, private=False) == []
        assert contents(open_folder) == before
        attempt.seen = f"exit code {done.code}"


@pytest.mark.parametrize("reader", [r for readers in READERS.values() for r in readers], ids=lambda reader: reader.name)
def test_a_file_that_may_not_be_read(reader, running, valid, open_folder, robustness):
    with robustness("read-only", f"{reader.name} of somebody else", "exit code 0 or 2, one sentence") as attempt:
        shutil.copytree(valid, open_folder / "in")
        (open_folder / "in" / reader.file).chmod(0)
        os.chown(open_folder / "in", NOBODY, NOBODY)
        done = running.run(reader.arguments, open_folder / "in", user=NOBODY)
        assert faults_of(done, private=reader.private) == []
        attempt.seen = f"exit code {done.code}"
