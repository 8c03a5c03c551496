"""This machine as if it had another processor: libraries choose their code by it, and variables choose for them.

OpenBLAS has a kernel for each kind, NumPy and Numba have loops for the features that they find, and the C library's
functions have variants with and without fused multiplication. Each rounds last bits in its own way.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

_FOUND = {name for name, there in np._core._multiarray_umath.__cpu_features__.items() if there}
_DISPATCHED = [name for name in np._core._multiarray_umath.__cpu_dispatch__ if name in _FOUND]
_PLAIN_NUMPY = {"NPY_DISABLE_CPU_FEATURES": " ".join(_DISPATCHED)}
_PLAIN_LIBM = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F"}
_PLAIN_NUMBA = {"NUMBA_CPU_NAME": "generic", "NUMBA_ENABLE_AVX": "0"}
_WIDE = [name for name in _DISPATCHED if name.startswith(("X86_V4", "AVX512"))]

X86 = "X86_V2" in _FOUND or "SSE42" in _FOUND
OLDEST, NEWEST = "an old x86-64", "SkylakeX"
PROCESSORS = {
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    **({"Haswell": {"OPENBLAS_CORETYPE": "Haswell"}, "Zen": {"OPENBLAS_CORETYPE": "Zen"}} if "AVX2" in _FOUND else {}),
    **({NEWEST: {"OPENBLAS_CORETYPE": "SkylakeX"}} if "AVX512_SKX" in _FOUND else {}),
    **({"NumPy without AVX-512": {"NPY_DISABLE_CPU_FEATURES": " ".join(_WIDE)}} if _WIDE else {}),
    "NumPy without features": _PLAIN_NUMPY,
    "libm without FMA": _PLAIN_LIBM,
    "Numba for any processor": _PLAIN_NUMBA,
    OLDEST: {"OPENBLAS_CORETYPE": "Prescott"} | _PLAIN_NUMPY | _PLAIN_LIBM,
}


def variables(name: str, scratch: Path) -> dict[str, str]:
    """The environment in which this machine computes like that one; what Numba compiles for it goes to `scratch`."""
    own = {"NUMBA_CACHE_DIR": str(scratch / "numba")} if "NUMBA_CPU_NAME" in PROCESSORS[name] else {}
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", **own, **PROCESSORS[name]}


def golden_tables(project: Path, name: str, folder: Path, experiments: Sequence[str] = ()) -> None:
    """Compute golden tables as on that machine, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "tests/golden/renew.py", "--to", str(folder), *experiments]
    environment = variables(name, folder) | {"PYTHONPATH": str(project / "src")}
    done = subprocess.run(words, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
