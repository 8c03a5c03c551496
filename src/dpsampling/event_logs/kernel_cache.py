"""What Numba compiled is kept beside the sources, and is dropped here when it is older than what it was compiled from.

Numba compares a kernel with its own file only. A kernel that calls one of another file would stay as it was when that
file changes, and go on drawing from the law that the old code had.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def drop_stale(module: str, others: Iterable[str]) -> None:
    """Remove the compiled kernels of a source file that are older than one of the files whose kernels they call."""
    source = Path(module)
    changed = max(Path(other).stat().st_mtime for other in others)
    for index in source.parent.glob(f"__pycache__/{source.stem}.*.nbi"):
        try:
            if index.stat().st_mtime < changed:
                index.unlink()
        except OSError:
            continue  # another process was faster, or may not write here and compiles elsewhere
