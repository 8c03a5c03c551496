"""Where a result comes from: code, parameters, random streams, packages, machine and time."""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from dpsampling import __version__, project

PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "dp-accounting", "numba", "snakemake")


def describe(
    experiment: str,
    parameters: dict[str, Any],
    seed: int,
    seconds: float,
    sha256: str,
    *,
    stream: str | None = None,
    logs: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything needed to make a table again, and what it took; `logs` is what is to be known of event logs."""
    return {
        "experiment": experiment,
        "sha256": sha256,
        "parameters": parameters,
        **({"logs": logs} if logs else {}),
        "seed": seed,
        "stream": [seed, stream or experiment],
        "dpsampling": __version__,
        "code": code_version(),
        "python": platform.python_version(),
        "packages": {name: _installed(name) for name in PACKAGES},
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cpu": cpu()},
        "seconds": round(seconds, 3),
    }


def sidecar(table: Path) -> Path:
    """The provenance file beside a table."""
    return Path(table).with_suffix(".provenance.json")


def code_version() -> dict[str, Any]:
    """The commit, and whether files differ from it; nothing outside a checkout."""
    try:
        commit = _git("rev-parse", "HEAD")
        return {"commit": commit, "dirty": bool(_git("status", "--porcelain"))}
    except (OSError, subprocess.CalledProcessError):
        return {"commit": None, "dirty": None}


def cpu() -> str:
    """The processor's name, as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _git(*arguments: str) -> str:
    run = subprocess.run(
        ["git", "-C", str(project.root()), *arguments], capture_output=True, text=True, check=True, timeout=20
    )
    return run.stdout.strip()


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
