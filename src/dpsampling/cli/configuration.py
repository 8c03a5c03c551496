"""config/config.yaml with what is laid over it: the seed, the audit, the files of logs, and which experiments to run.

An error names the key, what it is and what it may be, and all of a file's errors are told at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from dpsampling.cli.parsing import Seed, check_seed
from dpsampling.errors import InputError, did_you_mean
from dpsampling.files import checking
from dpsampling.files.checking import BY_KIND, LIST, TEXT, AsWritten, Different, Form, PathOrPaths, Whole, key
from dpsampling.files.documents import Document, merge, named, numbers, read_yaml, root

Order = Annotated[float, Field(gt=1, le=1000), AsWritten]
Orders = Annotated[list[Order], Field(min_length=1, max_length=50), Different]
Epsilon = Annotated[float, Field(ge=1e-4, le=100), AsWritten]
Epsilons = Annotated[list[Epsilon], Field(min_length=1, max_length=50), Different]
Delta = Annotated[float, Field(ge=1e-30, lt=1), AsWritten]
Draws = Annotated[int, Field(ge=100, le=10_000_000), Whole]
Names = Annotated[list[str], Field(min_length=1, max_length=1000)]
AllOrNames = Annotated[Annotated[Literal["all"], TEXT] | Annotated[Names, LIST], BY_KIND]


class QuickAudit(Form):
    """What the audit is asked for at quick scale."""

    orders: Orders = key("Rényi orders λ at which each mechanism is priced", None)
    epsilons: Epsilons = key("levels ε that each mechanism is calibrated for", None)
    delta: Delta = key("δ at which each mechanism is attacked", None)
    draws: Draws = key("draws from each of the two worlds that judge an event", None)


class Audit(Form):
    """What the audit is asked for."""

    orders: Orders = key("Rényi orders λ at which each mechanism is priced")
    epsilons: Epsilons = key("levels ε that each mechanism is calibrated for")
    delta: Delta = key("δ at which each mechanism is attacked")
    draws: Draws = key(
        "draws from each of the two worlds that judge an event, 10⁷ in hours; 3/10 as many more choose it"
    )
    mechanisms: AllOrNames = key("which mechanisms are looked at, `all` or a list of names of the registry", None)
    quick: QuickAudit = key("what is asked for at quick scale instead, where no overlay changes the entry above", None)


class Config(Form):
    """config/config.yaml, with what is laid over it."""

    seed: Seed = key("names every random stream, together with the experiment and the point")
    scale: Literal["paper", "quick"] = key("which parameters `all` uses; `quick` writes to results/quick/")
    run: AllOrNames = key("what `all` makes, either `all` or a list of experiment and chapter names")
    audit: Audit = key("what the audit of the mechanisms asks them for, and how hard it tries")
    experiments: dict[str, dict[str, Any]] = key("parameters that differ from an experiment's own file, by experiment")
    logs: dict[str, PathOrPaths] = key(
        "raw files of event logs, by the name of the log in config/logs: a path, a pattern such as "
        "`data/2023-*.csv.gz`, or a list of these; a log without one is simulated"
    )


def settings_of(overlay: Path | None = None) -> Document:
    """The configuration whose experiments nobody looks at, for a command that is about something else."""
    document = checked(read(overlay))
    check_logs(document["logs"])
    return document


def seed_of(given: str | None) -> int:
    """A seed from the command line, or the configuration's."""
    return check_seed(given) if given is not None else int(settings_of()["seed"])


def checked(document: Mapping[str, object]) -> Document:
    """Return a configuration that may be one, whatever its experiments are, or raise an InputError about all of it."""
    where = "the configuration"
    told = checking.document(numbers(dict(document), where), Config, where)
    return told.model_dump(exclude_unset=True)


def read(overlay: Path | None) -> Document:
    """config/config.yaml with an overlay laid over it, not checked yet."""
    return merge(read_yaml(root() / "config" / "config.yaml"), read_yaml(overlay) if overlay else {})


def check_logs(files: Mapping[str, str | list[str]]) -> None:
    """Raw files are named for logs that there are, and exist."""
    for log, told in files.items():
        if log not in named("logs"):
            hint = did_you_mean(log, named("logs"))
            raise InputError(f"logs names '{log}', which is no log of config/logs{hint}.")
        from dpsampling.event_logs import log_files  # of a room that no other job needs

        for file in log_files.files(log_files.texts(told), f"logs.{log}"):
            if not file.is_file():
                raise InputError(f"logs.{log} is {file}, which is no file; name the log's raw file, or leave it out.")


def audit_of(document: Mapping[str, object], scale: str) -> Document:
    """What the audit is asked for: at quick scale less, but for what an overlay has changed."""
    usual, asked = read_yaml(root() / "config" / "config.yaml")["audit"], document["audit"]
    assert isinstance(asked, Mapping)
    less = asked.get("quick", {}) if scale == "quick" else {}
    told = {key: value for key, value in asked.items() if key != "quick"}
    return {key: less.get(key, value) if value == usual.get(key) else value for key, value in told.items()}
