"""The zones of a Parquet file's moments: Parquet itself keeps UTC alone, the Arrow schema beside it the zone as well.

That schema is a flatbuffer: tables whose fields are found by way of a table of offsets, all of them little-endian. What
is read of it are the columns' names and the zones of their moments, and nothing if it is not as it should be.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable

KEY = b"ARROW:schema"
_SCHEMA_OF_MESSAGE, _FIELDS_OF_SCHEMA = 2, 1
_NAME, _KIND, _TYPE = 0, 2, 3  # of a field
_TIMESTAMP, _ZONE = 10, 1
_MOST = 10_000  # columns


def zones_of(metadata: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """The zone of each column that has one, of a file's keys and values."""
    for name, value in metadata:
        if name == KEY:
            try:
                return _zones(base64.b64decode(value, validate=True))
            except (ValueError, IndexError, struct.error):
                return {}
    return {}


def _zones(message: bytes) -> dict[str, str]:
    data = message[8 if message[:4] == b"\xff" * 4 else 4 :]  # after its length
    schema = _at(data, _followed(data, 0), _SCHEMA_OF_MESSAGE)
    fields = _at(data, schema, _FIELDS_OF_SCHEMA)
    found = {}
    for i in range(min(_number(data, fields), _MOST)):
        field = _followed(data, fields + 4 + 4 * i)
        kind = _place(data, field, _KIND)
        if kind and data[kind] == _TIMESTAMP:
            zone = _place(data, _at(data, field, _TYPE), _ZONE)
            if zone:
                found[_text(data, _at(data, field, _NAME))] = _text(data, _followed(data, zone))
    return found


def _number(data: bytes, at: int) -> int:
    return int(struct.unpack_from("<I", data, at)[0])


def _followed(data: bytes, at: int) -> int:
    """Where the offset at this place leads."""
    return at + _number(data, at)


def _place(data: bytes, table: int, field: int) -> int:
    """Where a table's field is, or 0 if it has none."""
    offsets = table - int(struct.unpack_from("<i", data, table)[0])
    (size,) = struct.unpack_from("<H", data, offsets)
    if 4 + 2 * field >= size:
        return 0
    (offset,) = struct.unpack_from("<H", data, offsets + 4 + 2 * field)
    return table + offset if offset else 0


def _at(data: bytes, table: int, field: int) -> int:
    """Return what a table's field leads to."""
    place = _place(data, table, field)
    if not place:
        raise ValueError("a field is missing")
    return _followed(data, place)


def _text(data: bytes, at: int) -> str:
    return data[at + 4 : at + 4 + _number(data, at)].decode("utf-8")
