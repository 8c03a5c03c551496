"""Files that Zstandard packed: whole they are read, and at no cut or broken byte is a part taken for all rows."""

import io
import itertools
import sys

import numpy as np
import pytest
import zstandard

from dpsampling.errors import InputError
from dpsampling.event_logs import delimited, unpacked

ROWS = "a,b\n" + "".join(f"{i},{i * 7919 % 1000}\n" for i in range(40_000))


def read(path):
    """All texts of a file."""
    rows = 0
    for chunk in delimited.Delimited(path).chunks(["a", "b"]):
        assert not chunk.surplus.any()
        rows += chunk.surplus.size
    return rows


def written(folder, data):
    path = folder / "rows.csv"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("frames", [1, 3])
def test_whole_files(tmp_path, frames, checksum):
    packer = zstandard.ZstdCompressor(write_checksum=checksum)
    text = ROWS.encode()
    cuts = np.linspace(0, len(text), frames + 1).astype(int)
    data = b"".join(packer.compress(text[a:b]) for a, b in itertools.pairwise(cuts))
    assert read(written(tmp_path, data)) == 40_000
    assert b"".join(unpacked.blocks(io.BytesIO(data), tmp_path)) == text


@pytest.mark.parametrize("size", [True, False], ids=["its size is told", "its size is not told"])
def test_a_file_that_is_cut_short_is_refused_wherever(tmp_path, size):
    """Cut behind a block, the rows so far end with a line; nothing but the frame says that there were more."""
    packer = zstandard.ZstdCompressor(write_content_size=size).compressobj()
    data = packer.compress(ROWS[: len(ROWS) // 2].encode())
    data += packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    at_a_block = len(data)
    data += packer.compress(ROWS[len(ROWS) // 2 :].encode()) + packer.flush()
    assert read(written(tmp_path, data)) == 40_000
    for cut in (5, 9, 100, at_a_block, len(data) // 2, len(data) - 3, len(data) - 1):
        with pytest.raises(InputError, match="Zstandard file that is broken or cut short") as refusal:
            read(written(tmp_path, data[:cut]))
        assert "\n" not in str(refusal.value)
    with pytest.raises(InputError, match="broken or cut short"):
        read(written(tmp_path, data + data[:50]))


def test_broken_bytes_are_refused(tmp_path):
    data = bytearray(zstandard.ZstdCompressor(write_checksum=True).compress(ROWS.encode()))
    for at in range(4, len(data), len(data) // 40):
        broken = data.copy()
        broken[at] ^= 0xFF
        with pytest.raises(InputError):
            read(written(tmp_path, broken))


def test_what_unpacks_to_far_more_is_refused(tmp_path):
    path = written(tmp_path, zstandard.ZstdCompressor().compress(b"a,b\n" + b"1,2\n" * 20_000_000))
    with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
        read(path)


def test_without_zstandard_one_sentence_says_what_to_install(tmp_path, monkeypatch):
    path = written(tmp_path, zstandard.compress(ROWS.encode()))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match=r"needs zstandard, and that is not installed; pip install"):
        read(path)
