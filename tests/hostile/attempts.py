"""One attempt: a folder with a hostile thing in it, a command, and what must be true of every command's end."""

import shutil
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dpsampling.errors import MOST
from hostile.forks import MEGABYTES, Done, Forks
from hostile.readers import Reader

Make = Callable[[Path, bytes], None]  # puts something hostile at a path; it is given the valid file's content
SECRET = "Quagmire-5521"  # stands in hostile rows, and nowhere else
# What is said besides the one sentence: that a table has no provenance, or is not as it was written.
NOTES = ("; taking fig5_2's own parameters.", " has changed since t.provenance.json was written.")
EXPECTED = "exit code 0 or 2, one sentence, nothing left"


def prepared(folder: Path, valid: Path, reader: Reader, make: Make | None = None) -> None:
    """The valid files, and something hostile in the place of one, if there is anything hostile in a file."""
    for name in reader.beside:
        copy = shutil.copytree if (valid / name).is_dir() else shutil.copy
        copy(valid / name, folder / name)
    if make is not None:
        (folder / reader.file).unlink(missing_ok=True)
        make(folder / reader.file, (valid / reader.file).read_bytes())


def attempted(forks: Forks, folder: Path, arguments: Sequence[str], *, private: bool = False, **how: Any) -> Done:
    """Run a command in a folder; an AssertionError says what it did that no command may."""
    before = contents(folder)
    done = forks.run(arguments, folder, **how)
    faults = [*faults_of(done, private=private), *left_behind(done, before, contents(folder), arguments)]
    assert not faults, f"dpsampling {' '.join(arguments)!r}: {'; '.join(faults)}\n{done.err[-2000:]}"
    return done


def faults_of(done: Done, *, private: bool) -> list[str]:
    """What is wrong with how a command ended."""
    lines = [line for line in done.err.splitlines() if not line.endswith(NOTES)]
    faults = [] if done.code in (0, 2) else [f"it ended with {done.code}"]
    if "Traceback" in done.err:
        faults.append("a traceback")
    if not all(line.startswith("dpsampling: ") for line in lines):
        faults.append("words that are no sentence of ours")
    if done.code == 2 and not len(set(lines)) == len(lines) > 0:
        faults.append("no sentence, or one twice")
    if len(lines) > MOST + 1:
        faults.append(f"{len(lines)} lines")
    if done.megabytes > MEGABYTES:
        faults.append(f"{done.megabytes:.0f} MB")
    if private and SECRET in done.err + done.out:
        faults.append("a private row is quoted")
    return faults


def contents(folder: Path) -> dict[str, tuple[int, ...]]:
    """Whatever is in a folder, and what would change if it were replaced or written to."""
    found = {}
    for path in folder.rglob("*"):
        told = path.lstat()
        whole = () if path.is_dir() else (told.st_size, told.st_mtime_ns, told.st_ino)
        found[str(path.relative_to(folder))] = (stat.S_IFMT(told.st_mode), *whole)
    return found


def left_behind(
    done: Done, before: dict[str, tuple[int, ...]], after: dict[str, tuple[int, ...]], arguments: Sequence[str]
) -> list[str]:
    """Files that should not be there: any after a refusal; after a success partials and changed inputs."""
    changed = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    changed = [name for name in changed if not name.endswith(".ledger")]  # a total that was said stays said
    if done.code == 0:
        changed = [name for name in changed if ".part" in name or name in before]
        outputs = {arguments[i + 1] for i, word in enumerate(arguments[:-1]) if word == "--out"}
        changed = [name for name in changed if name not in outputs]
    return [f"{name} was made, changed or removed" for name in sorted(changed)]
