"""Where a result comes from: code, parameters, random streams, packages, machine and time; written, and read again."""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from dpsampling import __version__
from dpsampling.errors import InputError
from dpsampling.files import check_apart, checksum, sidecar, strict_json
from dpsampling.files.documents import Document, root
from reproduction import config
from reproduction.project import Experiment
from reproduction.stages import experiment_contract, table_schema

PATIENCE = 20  # s
PACKAGES = ("numpy", "scipy", "pandas", "matplotlib", "python-flint", "numba", "snakemake")


def describe(
    experiment: str,
    parameters: dict[str, Any],
    seed: int,
    seconds: float,
    sha256: str,
    *,
    stream: str,
    about: dict[str, Any],
) -> dict[str, Any]:
    """Everything needed to make a table again, and what it took; `about` is what later stages are told of it."""
    return {
        "experiment": experiment,
        "sha256": sha256,
        "parameters": parameters,
        **({"about": about} if about else {}),
        "seed": seed,
        "stream": [seed, stream],
        "dpsampling": __version__,
        "code": code_version(),
        "python": platform.python_version(),
        "packages": {name: _installed(name) for name in PACKAGES},
        "machine": {"system": platform.system(), "architecture": platform.machine(), "cpu": cpu()},
        "seconds": round(seconds, 3),
    }


# -- reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Given:
    """A table that was written before, the parameters it was made with, and whether it is as it was written."""

    path: Path
    table: pd.DataFrame
    parameters: Document
    untouched: bool

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Blame an error on the table if it was changed since it was written, and not on the program."""
        try:
            yield
        except Exception as error:
            if isinstance(error, InputError) or self.untouched:
                raise
            told = f"{self.path} does not hold what 'dpsampling table' writes ({error!r}); make it again."
            raise InputError(told) from error


def read(path: Path, experiment: Experiment, outputs: Sequence[Path | None] = ()) -> Given:
    """A table of this experiment, beside which are none of the `outputs`; a bare one has its own parameters."""
    beside = sidecar(path)
    check_apart([out for out in outputs if out is not None], [beside])
    told = _record(beside, path, experiment.id) if beside.exists() else {}
    parameters = config.resolve(experiment, told.get("parameters", {}))
    table = table_schema.read(path, experiment_contract.columns(experiment.code, parameters), experiment.id)
    if not told:
        _say(f"{beside.name} is not beside {path}; taking {experiment.id}'s own parameters.")
        return Given(path, table, parameters, untouched=False)
    table.attrs.update({name: _handed_on(value) for name, value in told["about"].items()})
    untouched = told["sha256"] == checksum(path)
    if not untouched:
        _say(f"{path} has changed since {beside.name} was written.")
    return Given(path, table, parameters, untouched)


class _Record(dict[str, Any]):
    """What stands beside a table; pandas copies it, all the way down, with every frame that comes of the table."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _Record:
        return self


def _handed_on(value: Any) -> Any:
    return _Record(value) if isinstance(value, dict) else value


def _say(words: str) -> None:
    sys.stderr.write(f"dpsampling: {words}\n")


def _record(beside: Path, path: Path, experiment: str) -> dict[str, Any]:
    """What the provenance file of a table of this experiment says."""
    again = f"make {path.name} again with 'dpsampling table'"
    try:
        told: dict[str, Any] = strict_json.read(beside)
        found = {"parameters": dict(told["parameters"]), "sha256": told["sha256"], "about": dict(told.get("about", {}))}
        maker = told["experiment"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{beside} is not a provenance file; {again}.") from error
    if maker != experiment:
        raise InputError(f"{path} is a table of {maker}; name that experiment, or a table of {experiment}.")
    return found


# -- the code and the machine -----------------------------------------------------------------------------------------


def code_version() -> dict[str, Any]:
    """The commit, and whether files differ from it; nothing outside a checkout of this project.

    A folder inside somebody else's repository is none. Where git takes too long to compare, nobody knows.
    """
    found: dict[str, Any] = {"commit": None, "dirty": None}
    with suppress(OSError, subprocess.SubprocessError):
        if Path(_git("rev-parse", "--show-toplevel")).samefile(root()):
            found["commit"] = _git("rev-parse", "HEAD")
            found["dirty"] = bool(_git("status", "--porcelain"))
    return found


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
    command = ["git", "-C", str(root()), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return run.stdout.strip()


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
