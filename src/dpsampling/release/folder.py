"""A folder of results that appears whole or not at all, under its name, at one moment.

It is filled under a hidden name beside its place and takes its name by one renaming. What a writer that was killed left
behind is removed by the next one that writes there. A folder that holds anything is never replaced: what was released
was paid for.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpsampling.errors import InputError
from dpsampling.files import HOST, runs, unwritable


def check(target: Path) -> None:
    """That a release can be put there: nothing is there, or an empty folder."""
    try:
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise InputError(f"{target} is no folder; name a new one for the release.")
        if target.is_dir() and any(target.iterdir()):
            raise InputError(f"{target} is not empty; name a new folder, for nothing that was released is replaced.")
    except (OSError, ValueError) as error:
        raise unwritable(target, error) from error


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A folder beside the target to fill, which takes the target's place when the block ends well."""
    check(target)
    there = target.absolute()
    try:
        there.parent.mkdir(parents=True, exist_ok=True)
        _sweep(there)
        place = Path(tempfile.mkdtemp(prefix=f".{there.name}.{HOST}.{os.getpid()}.", suffix=".part", dir=there.parent))
    except OSError as error:
        raise unwritable(target, error) from error
    try:
        umask = os.umask(0)
        os.umask(umask)
        place.chmod(0o777 & ~umask)  # mkdtemp makes folders that only their owner enters
        yield place
        check(target)
        place.replace(there)
    except OSError as error:
        if error.filename is not None and not str(error.filename).startswith(str(place)):
            raise
        raise unwritable(target, error) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)


def set_time(folder: Path, moment: float) -> None:
    """Let the folder and all in it seem to be of this moment: when a file was written tells how long reading took."""
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (moment, moment))


def _sweep(target: Path) -> None:
    """Remove what a writer of the same folder left behind when it was killed on this machine."""
    for left in target.parent.glob(f".{target.name}.{HOST}.*.part"):
        pid = left.name.removeprefix(f".{target.name}.{HOST}.").partition(".")[0]
        if pid.isdigit() and not runs(int(pid)):
            shutil.rmtree(left, ignore_errors=True)
