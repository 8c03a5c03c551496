"""A folder of results that appears whole or not at all, under its name, at one moment.

It is filled inside a hidden folder beside its place, which only its owner can look into. When it is to appear all files
are copied, for the system keeps when a file was made, and the copy takes the name by one renaming. What a writer that
was killed left behind is removed by the next one that writes there. A folder that holds anything is never replaced:
what was released was paid for. If the name is taken meanwhile, the release appears under another one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpsampling import files
from dpsampling.errors import InputError
from dpsampling.files import HOST, PRIVATE, unwritable
from dpsampling.release.names import RELEASE

BEGIN, END = ".dpsampling.", ".part"  # of a hidden folder's name
RESERVED = 4 << 20  # bytes that must be there before anything is spent
TRIED = 1000  # other names


def check(target: Path) -> None:
    """Check that a release can be put there: nothing is there, or an empty folder."""
    try:
        with suppress(FileNotFoundError):
            target.lstat()  # which fails for what can be no name, where others only say no
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise InputError(f"{target} is no folder; name a new one for the release.")
        if target.is_dir() and any(target.iterdir()):
            raise InputError(f"{target} is not empty; name a new folder, for nothing that was released is replaced.")
        if target.is_dir() and target.samefile(Path.cwd()):
            raise InputError(f"{target} is the folder that you are in; name a new one for the release.")
        if target.is_dir() and target.stat().st_dev != target.absolute().parent.stat().st_dev:
            raise InputError(f"{target} is where another disk begins; name a new folder inside it.")
    except InputError:
        raise
    except (OSError, ValueError) as error:
        raise unwritable(target, error) from error


def check_outside(target: Path, private: Iterable[Path]) -> None:
    """Check that no private file is to be written among what may be published."""
    for path in private:
        try:
            inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(target))
        except ValueError as error:
            raise unwritable(path, error) from error
        if inside:
            raise InputError(f"{path} is private, and all in {target} may be published; name a file elsewhere.")


@contextmanager
def staged(target: Path) -> Iterator[Path]:
    """A folder to fill, whose copy takes the target's place when the block ends well."""
    check(target)
    try:
        there = Path(os.path.abspath(target))  # noqa: PTH100  # resolving would follow links
        workshop = _workshop(there.parent)
    except OSError as error:
        raise unwritable(target, error) from error
    try:
        check(target)  # now that its parent is there, a name that is too long for it is known
        place = workshop / "draft"
        place.mkdir()
        with _room(workshop / "room"):
            yield place
        copy = Path(shutil.copytree(place, workshop / "copy"))
        _sync(copy / RELEASE)
        _appear(copy, target, there)
    except OSError as error:
        if error.filename is not None and not str(error.filename).startswith(str(workshop)):
            raise
        raise unwritable(target, error) from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def set_time(folder: Path, moment: float) -> None:
    """Let the folder and all in it seem to be of this moment: when a file was written tells how long reading took."""
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (moment, moment))


def _workshop(parent: Path) -> Path:
    """A hidden folder of its owner alone, that tells whose it is."""
    parent.mkdir(parents=True, exist_ok=True)
    if PRIVATE in parent.parts:
        files.close(parent)
    _sweep(parent)
    return Path(tempfile.mkdtemp(prefix=f"{BEGIN}{HOST}.{os.getpid()}.", suffix=END, dir=parent))


def _sweep(parent: Path) -> None:
    """Remove what writers that were killed on this machine left behind."""
    for left in files.left_behind(parent, BEGIN, END):
        shutil.rmtree(left, ignore_errors=True)


@contextmanager
def _room(path: Path) -> Iterator[None]:
    """Room on the disk, held while the draft is made: a disk that is full is noticed before anything is spent."""
    path.write_bytes(bytes(RESERVED))
    yield
    path.unlink()


def _sync(path: Path) -> None:
    """Check that a file is on the disk, if there is one."""
    with suppress(FileNotFoundError), path.open("rb") as stream:
        os.fsync(stream.fileno())


def _appear(folder: Path, target: Path, there: Path) -> None:
    """Under its name, or under the next one that is free, with a sentence that says so."""
    for number in range(1, TRIED):
        name = there if number == 1 else there.with_name(f"{there.name}-{number}")
        try:
            check(name)
            folder.rename(name)
        except (InputError, OSError):
            continue
        if number > 1:
            raise InputError(
                f"{target} was taken by something else while the release was made; the release, which is paid for, is "
                f"whole and in {name}."
            )
        return
    raise InputError(f"{target} was taken while the release was made, and so are other names like it; it is lost.")
