"""What config/datasets says of data sets: their descriptions, read and checked, and where their files are to be."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpsampling.datasets.forms import DataSet
from dpsampling.errors import InputError, did_you_mean
from dpsampling.files.checking import document as checked
from dpsampling.files.documents import Document, named, read_yaml, root

FOLDER = "datasets"


def names() -> list[str]:
    """The data sets there are descriptions of."""
    return named(FOLDER)


def path_of(name: str) -> Path:
    """The file that describes a data set, or an InputError that names near ones."""
    if name not in names():
        raise InputError(f"there is no data set '{name}' in config/{FOLDER}{did_you_mean(name, names())}.")
    return root() / "config" / FOLDER / f"{name}.yaml"


def description(name: str) -> Document:
    """Return what that file says, checked."""
    where = f"data set {name}"
    document = read_yaml(path_of(name))
    if document.get("public") is False:  # a draft
        del document["public"]
    if isinstance(document.get("public"), Mapping):
        document["public"] = _declaration(document["public"])
    checked(document, DataSet, where)
    for key in ("sha256", *(f"fetch[{i}]" for i in range(len(document.get("fetch", ()))))):
        _check_number(document, key, where)
    return document


def files(document: Mapping[str, Any]) -> list[str]:
    """The files of a data set, as its description names them."""
    return _listed(document["file"])


def checksums(document: Mapping[str, Any]) -> list[str]:
    """Their checksums, or none at all."""
    return _listed(document.get("sha256", []))


def places(document: Mapping[str, Any]) -> list[Path]:
    """Where they are to be."""
    return [root() / file for file in files(document)]


def is_public(document: Mapping[str, Any]) -> bool:
    """Return whether anybody can have the rows; all others are somebody's."""
    return "fetch" in document


def _listed(told: str | list[str]) -> list[str]:
    return [told] if isinstance(told, str) else list(told)


def _declaration(told: Mapping[Any, Any]) -> Document:
    """YAML takes the word `on` for true, and a day for a date."""
    plain = {"on" if key is True else key: value for key, value in told.items()}
    return {key: str(value) if isinstance(value, datetime.date) else value for key, value in plain.items()}


def _check_number(document: Mapping[str, Any], key: str, where: str) -> None:
    """Check that a list of something of each file is as long as that of the files."""
    wanted = len(files(document))
    if key == "sha256":
        found = len(checksums(document)) or wanted
        if "fetch" in document and "sha256" not in document:
            raise InputError(f"{where}: 'sha256' is missing; what is fetched is known by it, so add it.")
    else:
        found = _of_route(document["fetch"][int(key[6:-1])], f"{where}: {key}", wanted)
    if found != wanted:
        raise InputError(f"{where}: {key} is of {found} files, and file of {wanted}; name as many.")


def _of_route(route: Mapping[str, Any], where: str, wanted: int) -> int:
    """The number of files that a route gives."""
    kinds = [kind for kind in ("url", "pip", "npm") if kind in route]
    if len(kinds) != 1:
        raise InputError(f"{where} has {' and '.join(kinds) or 'no address'}; a route is one of url, pip and npm.")
    if kinds == ["url"]:
        surplus = [key for key in ("files", "pickle", "count") if key in route]
        if surplus:
            raise InputError(f"{where} has '{surplus[0]}' beside url; it is for a package.")
        return len(route["url"])
    if ("files" in route) == ("pickle" in route) or ("pickle" in route) != ("count" in route):
        raise InputError(f"{where} needs the package's files, or its pickle with a count.")
    return len(route["files"]) if "files" in route else 2 if wanted == 2 else 0
