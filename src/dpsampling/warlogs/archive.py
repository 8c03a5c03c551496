"""Arrays with a description, in one .npz file whose bytes depend on its content alone."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError

_ABOUT = "about"


def put(path: Path, kind: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write to a path that is staged already; `about` is what JSON can say."""
    text = json.dumps({"kind": kind, **about}, ensure_ascii=False)
    with Path(path).open("wb") as stream:  # a stream, for a name would get .npz appended
        np.savez_compressed(stream, allow_pickle=False, **{_ABOUT: np.array(text)}, **arrays)


def check_codes(codes: NDArray[Any], below: int, size: int) -> None:
    """Whole numbers from 0, one a row; a ValueError says that they are not."""
    if codes.ndim != 1 or codes.size != size or codes.dtype.kind not in "iu":
        raise ValueError("a column is not one whole number a row")
    if codes.size and not (int(codes.min()) >= 0 and int(codes.max()) < below):
        raise ValueError("a column has codes that nothing stands for")


def get(path: Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `put` wrote, or an InputError."""
    remedy = f"name a file that 'dpsampling warlogs {kind}' writes"
    try:
        with Path(path).open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(str(arrays.pop(_ABOUT)[()]))
        found = about.pop("kind")
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; make it with 'dpsampling warlogs {kind}'.") from error
    except (OSError, ValueError, LookupError, EOFError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error) as e:
        raise InputError(f"{path} is damaged or something else; {remedy}.") from e
    if found != kind:
        raise InputError(f"{path} was written by 'dpsampling warlogs {found}'; {remedy}.")
    return about, arrays
