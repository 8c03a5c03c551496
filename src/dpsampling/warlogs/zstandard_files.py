"""The bytes of a file that Zstandard packed, in one frame or several; one that is broken or cut short is refused."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO

from dpsampling.errors import InputError

STEP = 1024  # packed bytes that are unpacked at a time: four of them may stand for 128 kB


class Unpacked(io.RawIOBase):
    """What a packed stream unpacks to."""

    def __init__(self, packed: BinaryIO, path: Path) -> None:
        try:
            import zstandard
        except ImportError as error:
            raise InputError(
                f"{path} is packed by Zstandard, which needs zstandard, and that is not installed; "
                "pip install 'dpsampling[warlogs]', or unpack it."
            ) from error
        super().__init__()
        self._packed, self._path = packed, path
        self._error = zstandard.ZstdError
        self._frame = zstandard.ZstdDecompressor().decompressobj
        self._open: Any = None  # the frame that has begun and not ended
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """As many bytes as are at hand; none at the end of the last frame."""
        while not self._ready:
            data = self._packed.read(STEP)
            if not data:
                if self._open is not None:
                    raise self._broken()
                return 0
            self._ready = memoryview(self._of(data))
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _of(self, data: bytes) -> bytes:
        found = b""
        while data:
            self._open = self._open or self._frame()
            try:
                found += self._open.decompress(data)
            except self._error:
                raise self._broken() from None
            data = b""
            if self._open.eof:
                data, self._open = self._open.unused_data, None
        return found

    def _broken(self) -> InputError:
        return InputError(f"{self._path} is a Zstandard file that is broken or cut short; fetch it again.")
