"""Python commands in forks of a program that has imported the packages of others: a second less each.

A command is a process of its own as ever, with its own folder, environment, exit code and streams, and imports this
project's library and the engine itself. What Python reads of its environment before any import (PYTHONHASHSEED and the
like), and what is about starting or about streams, is for `subprocess`.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

SECONDS = 1500.0  # for what hangs: a busy machine takes five times as long as an idle one
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
BEFORE_IMPORTS = frozenset(name for name in os.environ if name.startswith("PYTHON"))  # the program was told of these
READ = {"PYTHONPATH", "PYTHONSAFEPATH"}  # for each command


@cache
def _server() -> subprocess.Popen[str]:
    """Of this process, for as long as it lives."""
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("warm_server.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**{name: word for name, word in os.environ.items() if name != "PYTHONPATH"}, **ONE_THREAD},
    )
    atexit.register(server.communicate)
    return server


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    together: bool = False,
    check: bool = False,
    seconds: float = SECONDS,
) -> subprocess.CompletedProcess[str]:
    """As subprocess.run does with text that is captured; `together`: standard error is in standard output."""
    python, *words = command
    assert python == sys.executable
    environment = dict(os.environ if env is None else env)
    assert {name for name in environment if name.startswith("PYTHON")} <= BEFORE_IMPORTS | READ, "is not read any more"
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        err = out if together else Path(folder) / "err"
        told = {"words": words, "folder": str(cwd), "environment": environment, "out": str(out), "err": str(err)}
        server.stdin.write(json.dumps({**told, "seconds": seconds}) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        said = [path.read_text(encoding="utf-8") if path.exists() else "" for path in (out, err)]
    done = subprocess.CompletedProcess(list(command), code, said[0], "" if together else said[1])
    if check:
        done.check_returncode()
    return done
