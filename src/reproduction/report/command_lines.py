"""The commands that make an experiment again, exactly."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from dpsampling.cli.configuration import settings_of
from reproduction import project
from reproduction.report.tree import Run, part


def steps(run: Run, e: project.Experiment) -> str:
    """What the command that makes all of it does, step by step, for a shell with .venv/bin on its path."""
    at, told = run.folder, run.provenance.get(e.id, {})
    options = [f"--set={key}={plain(value)}" for key, value in part(told, "parameters").items()]
    options += [f"--seed={told['seed']}"] if "seed" in told else []
    csv_file, drawn = f"{at}/tables/{e.id}.csv", f"{at}/figures/{e.id}"
    lines = (
        ["dpsampling", "table", e.id, *options, f"--out={csv_file}"],
        ["dpsampling", "figure", e.id, f"--table={csv_file}", f"--out={drawn}.pdf", f"--out={drawn}.png"],
        ["dpsampling", "claims", e.id, f"--table={csv_file}", f"--out={at}/claims/{e.id}.csv"],
    )
    return "\n".join(map(folded, lines))


def folded(words: Sequence[str], width: int = 88) -> str:
    """A command for the shell, over several lines where one would be too long."""
    lines = [""]
    for word in map(shlex.quote, words):
        if lines[-1].strip() and len(lines[-1]) + len(word) > width:
            lines[-1] += "\\"
            lines.append("    ")
        lines[-1] += f"{word} "
    return "\n".join(line.rstrip() for line in lines)


def make_command(run: Run, e: project.Experiment) -> str:
    """The command that makes this figure as it is here; a run of other settings names its configuration."""
    here = part(run.config, "experiments").get(e.id, e.parameters)
    own = run.scale != "quick" and here == e.parameters and run.config.get("seed") in (None, settings_of()["seed"])
    return f"make figure ID={e.id}" + ("" if own else f" CONFIG={run.folder}/config.yaml")


def plain(value: Any) -> str:
    """A value as the command line takes it."""
    return json.dumps(value, ensure_ascii=False)
