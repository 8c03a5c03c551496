"""Run the workflow with its profile, one run at a time.

Snakemake's own lock outlives a killed run and then has to be removed by hand. The lock here is held by the operating
system for as long as the process lives, so a killed run can simply be started again.
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[1]


def main() -> None:
    """Take the lock, then become Snakemake."""
    os.chdir(PROJECT)
    Path(".snakemake").mkdir(exist_ok=True)
    lock = os.open(".snakemake/dpsampling.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(
            "dpsampling: another run is at work in this folder; wait for it, or clone the project elsewhere.",
            file=sys.stderr,
        )
        raise SystemExit(2) from None
    os.set_inheritable(lock, True)  # it stays locked until Snakemake ends
    binaries = Path(sys.executable).parent
    os.environ["PATH"] = f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}"  # the rules call `dpsampling`
    profile = ["--workflow-profile", "workflow/profiles/default"]
    os.execv(binaries / "snakemake", ["snakemake", "--nolock", *profile, *sys.argv[1:]])


if __name__ == "__main__":
    main()
