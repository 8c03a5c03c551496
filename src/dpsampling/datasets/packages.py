"""Files out of packages that the user's own pip, uv or npm finds, wherever these are told to look.

A package is put into a folder that is taken away again; nothing of it is installed or run, and of its files only those
that are asked for are read, each up to a bound.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from dpsampling.errors import InputError
from dpsampling.files import regular_files

PATIENCE = 300  # s for a whole package
STALLED = 20  # s without an answer
LARGEST = 256 << 20  # bytes of a package
_DAMAGE = (OSError, EOFError, LookupError, RuntimeError, zlib.error, zipfile.BadZipFile, tarfile.TarError)


class UnreachableError(Exception):
    """Why a file cannot be had in one way, in a few words; there may be others."""


def from_pip(package: str, files: Sequence[str], most: int) -> list[bytes]:
    """Files of a wheel: by pip of this Python, or else by uv."""
    with tempfile.TemporaryDirectory() as folder:
        if importlib.util.find_spec("pip") is not None:
            words = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
            words += ["--disable-pip-version-check", "--quiet", "--retries=1", f"--timeout={STALLED}"]
            _run([*words, f"--dest={folder}", "--", package], folder)
            wheel = _only(folder, "*.whl")
            return [_of_wheel(wheel, name, most) for name in files]
        if shutil.which("uv") is None:
            raise UnreachableError("there is neither pip nor uv")
        words = ["uv", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:", f"--python={sys.executable}"]
        _run([*words, f"--target={folder}", "--", package], folder)
        return [_of_folder(Path(folder), name, most) for name in files]


def from_npm(package: str, files: Sequence[str], most: int) -> list[bytes]:
    """Files of what npm packs."""
    if shutil.which("npm") is None:
        raise UnreachableError("there is no npm")
    with tempfile.TemporaryDirectory() as folder:
        words = ["npm", "pack", "--loglevel=error", "--ignore-scripts", "--fetch-retries=1"]
        _run([*words, f"--fetch-timeout={1000 * STALLED}", "--", package], folder)
        packed = _only(folder, "*.tgz")
        return [_of_tar(packed, name, most) for name in files]


def _run(words: Sequence[str], folder: str) -> None:
    """A command that ends within its time, with all that it has started."""
    environment = {"UV_HTTP_TIMEOUT": str(STALLED), **os.environ}
    process = subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        _, told = process.communicate(timeout=PATIENCE)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise UnreachableError(f"it took more than {PATIENCE} s") from error
        raise
    if process.returncode:
        lines = [line.strip() for line in told.decode(errors="replace").splitlines() if line.strip()]
        why = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "no reason")
        raise UnreachableError(f"it ended with {process.returncode} ({why.rstrip('.')})")


def _only(folder: str, pattern: str) -> Path:
    """The one file that was put there, if it is no larger than packages are."""
    found = list(Path(folder).glob(pattern))
    if len(found) != 1 or found[0].stat().st_size > LARGEST:
        raise UnreachableError("it left no package of a usual size")
    return found[0]


def _of_wheel(path: Path, name: str, most: int) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as stream:
            return _bounded(stream.read(most + 1), name, most)
    except _DAMAGE as error:
        raise UnreachableError(f"the package has no {name} that can be read") from error


def _of_tar(path: Path, name: str, most: int) -> bytes:
    try:
        with tarfile.open(path) as archive:
            stream = archive.extractfile(name)
            if stream is None:
                raise KeyError(name)
            return _bounded(stream.read(most + 1), name, most)
    except _DAMAGE as error:
        raise UnreachableError(f"the package has no {name} that can be read") from error


def _of_folder(folder: Path, name: str, most: int) -> bytes:
    path = (folder / name).resolve()
    try:
        if not path.is_relative_to(folder.resolve()):
            raise FileNotFoundError(name)
        return regular_files.content(path, most)
    except (OSError, InputError) as error:
        raise UnreachableError(f"the package has no {name} that can be read") from error


def _bounded(data: bytes, name: str, most: int) -> bytes:
    if len(data) > most:
        raise UnreachableError(f"its {name} has more than {most >> 20} MB")
    return data
