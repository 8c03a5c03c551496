"""`dpsampling job`: another command as a job of the workflow, with a record of what it read and made."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from dpsampling import records
from dpsampling.documents import root
from dpsampling.errors import InputError

HELP = "run a command as a job of the workflow, again if its inputs change meanwhile, and record what it made"
ATTEMPT, MOST = "DPSAMPLING_ATTEMPT", 3


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which command, what it reads and makes, where its record is."""
    parser.add_argument("--seal", type=Path, required=True, metavar="FILE", help="the job's record is beside it")
    parser.add_argument("--reads", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--makes", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--runs", nargs=argparse.REMAINDER, required=True, metavar="COMMAND", help="comes last")


def run(options: argparse.Namespace) -> int:
    """The command's exit code."""
    if root().resolve() != Path.cwd():
        raise InputError(
            f"this is the library of {root()}, and the workflow that of {Path.cwd()}; unset PYTHONPATH, or set up an "
            "environment here with 'make setup'."
        )
    reads = records.stamps(path for path in options.reads if Path(path) != options.seal)
    failure: Exception | None = None
    try:
        from dpsampling.cli import main

        code = main(options.runs)
    except Exception as error:  # of a source that was saved half, perhaps
        code, failure = 1, error
    changed = records.changed(reads)
    if changed:
        return _again(options, changed[0])
    if failure is not None:
        raise failure
    if code == 0:
        records.write(options.seal, reads, options.makes)
    return code


def _again(options: argparse.Namespace, changed: str) -> int:
    """The same from the start, with the sources as they are now."""
    attempt = int(os.environ.get(ATTEMPT, "1"))
    if attempt >= MOST:
        raise InputError(f"{changed} was changed during the job, {MOST} times over; leave it alone and run it again.")
    print(f"dpsampling: {changed} was changed during the job, which runs again.", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os.environ[ATTEMPT] = str(attempt + 1)
    words = ["--seal", str(options.seal), "--reads", *options.reads, "--makes", *options.makes, "--runs", *options.runs]
    os.execv(sys.executable, [sys.executable, "-m", "dpsampling", "job", *words])
