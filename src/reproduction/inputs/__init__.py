"""What `needs:` of an experiment may name: made before and given as files, or made now.

A module here is named after what it supplies (`paths` alone tells which files that are) and has one function,

    supply(parameters, given, *, seed, stream, raw) -> Supply

where `given` holds the files of each option of `dpsampling table` that names inputs, `stream` is the name of the
experiment's random stream, and `raw` the configured raw files, or patterns of them, by the name of their event log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Given = Mapping[str, Sequence[Path]]
Raw = Mapping[str, str | Sequence[str]]


class Supply(NamedTuple):
    """What the table's function is given, what its provenance tells of it, and the files that it was read from."""

    inputs: Any
    about: dict[str, Any]
    files: Sequence[Path] = ()
