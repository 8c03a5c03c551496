"""The configuration: read, laid over, checked against the schemas, and resolved to the parameters of each experiment.

Everything is checked here before any job starts. An error is one sentence that names the key, what it is and what it
may be. Three shapes of file are understood where a configuration is asked for: an overlay of config/config.yaml, an
experiment file like those of config/experiments/, or a plain mapping of one experiment's parameters.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from dpsampling.errors import InputError
from dpsampling.experiments.contract import check_fit
from dpsampling.grids import expand, show
from dpsampling.project import Document, Experiment, did_you_mean, experiment, experiments, read_yaml, root

SCALES = ("paper", "quick")
_WHOLE = re.compile(r"[-+]?\d+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


# -- whole configurations -------------------------------------------------------------------------------------------


def load(overlay: Path | None = None) -> Document:
    """config/config.yaml with an overlay laid over it, checked."""
    return check_config(merge(read_yaml(root() / "config" / "config.yaml"), read_yaml(overlay) if overlay else {}))


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> Document:
    """Mappings are merged, everything else is replaced; neither argument is changed."""
    result = deepcopy(dict(base))
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merge(result[key], value) if both else deepcopy(value)
    return result


def check_config(document: Mapping[str, Any]) -> Document:
    """The configuration with its numbers as numbers, or an InputError; experiments' parameters are checked too."""
    checked: Document = _numbers(dict(document), "the configuration")
    check_against(checked, schema_named("config"), "the configuration")
    for name, changes in checked["experiments"].items():
        for scale in SCALES:
            resolve(experiment(name), changes, scale=scale)
    selected(checked)
    _check_logs(checked["logs"])
    return checked


def _check_logs(files: Mapping[str, str]) -> None:
    """Raw files are named for logs that there are, and exist."""
    for log, file in files.items():
        from dpsampling.warlogs import schema  # only a run that names files rests on it

        if log not in schema.names():
            hint = did_you_mean(log, schema.names())
            raise InputError(f"logs names '{log}', which is no log of config/logs{hint}.")
        if not Path(file).is_file():
            raise InputError(f"logs.{log} is {file}, which is no file; name the log's raw file, or leave it out.")


def selected(document: Mapping[str, Any]) -> list[str]:
    """The experiments that `run` asks for."""
    known = experiments()
    if document["run"] == "all":
        return list(known)
    chapters = {f"chapter{e.chapter}" for e in known.values()}
    chosen: set[str] = set()
    for name in document["run"]:
        if name in chapters:
            chosen.update(e.id for e in known.values() if f"chapter{e.chapter}" == name)
        elif name in known:
            chosen.add(name)
        else:
            hint = did_you_mean(name, [*known, *chapters])
            raise InputError(f"run names '{name}', which is no experiment and no chapter with experiments{hint}.")
    return [name for name in known if name in chosen]


def effective(document: Mapping[str, Any], scale: str) -> Document:
    """All that decides the results at one scale: the seed and every selected experiment's parameters."""
    return {
        "seed": document["seed"],
        "scale": scale,
        "audit": document["audit"],
        "experiments": {
            name: resolve(experiment(name), document["experiments"].get(name, {}), scale=scale)
            for name in selected(document)
        },
    }


# -- the parameters of one experiment -------------------------------------------------------------------------------


def resolve(experiment: Experiment, changes: Mapping[str, Any], *, scale: str = "paper") -> Document:
    """The experiment's own parameters, its quick ones if asked, then `changes`; checked, grids still as written."""
    parameters = merge_parameters(experiment.parameters, experiment.quick if scale == "quick" else {})
    unknown = [key for key in changes if key not in parameters]
    if unknown:
        allowed = ", ".join(parameters)
        hint = did_you_mean(str(unknown[0]), parameters)
        raise InputError(f"{experiment.id} has no parameter '{unknown[0]}'{hint}; it has {allowed}.")
    resolved = check_parameters(merge_parameters(parameters, changes), experiment.id)
    try:
        check_fit(experiment.id, resolved)
    except InputError as error:
        raise InputError(f"{experiment.id}: {error}") from error
    return resolved


def merge_parameters(base: Mapping[str, Any], over: Mapping[str, Any]) -> Document:
    """Parameters are replaced whole: half of an old grid is not kept under half of a new one."""
    return deepcopy({**base, **over})


def check_parameters(parameters: Mapping[str, Any], where: str) -> Document:
    """The parameters with their numbers as numbers, or an InputError."""
    vocabulary = schema_named("parameters")["properties"]
    checked = {}
    for name, value in parameters.items():
        if name not in vocabulary:
            hint = did_you_mean(name, vocabulary)
            raise InputError(
                f"{where}: '{name}' is not in workflow/schemas/parameters.schema.yaml{hint}; describe it there."
            )
        value = _numbers(value, f"{where}: {name}")
        schema = vocabulary[name]
        check_against(expand(value, f"{where}: {name}") if _wants_list(schema) else value, schema, where, name)
        checked[name] = _whole_numbers(value, schema)
    _check_together(checked, where)
    return checked


def read_changes(path: Path, experiment: Experiment) -> tuple[Document, int | None]:
    """What a file of any of the three shapes says of one experiment: its parameters and, if it has one, a seed."""
    document = read_yaml(path)
    if document and set(document) <= set(schema_named("config")["properties"]):
        full = load(path)
        changes = full["experiments"].get(experiment.id, {})
        if full["scale"] == "quick":
            changes = merge_parameters(experiment.quick, changes)
        return changes, full["seed"]
    if "parameters" in document:
        return check_experiment(document, path.name)["parameters"], None
    seed = document.pop("seed", None)
    return document, None if seed is None else check_seed(seed)


def parse_settings(settings: Iterable[str]) -> Document:
    """`--set key=value` options; a value is YAML."""
    changes: Document = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--set {setting} has no value; write --set key=value, such as --set n=250.")
        try:
            changes[key.strip()] = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise InputError(f"--set {setting} is not YAML; write a number, a [list] or a {{mapping: 1}}.") from error
    return changes


def settings(parameters: Mapping[str, Any]) -> list[str]:
    """The `--set` options that spell these parameters."""
    return [f"{name}={json.dumps(value)}" for name, value in parameters.items()]


def check_seed(seed: Any) -> int:
    """A seed, or an InputError."""
    seed = _numbers(seed, "seed")
    schema = schema_named("config")["properties"]["seed"]
    check_against(seed, schema, "", "seed")
    return int(seed)


def check_experiment(document: Document, where: str) -> Document:
    """An experiment file against its schema."""
    check_against(document, schema_named("experiment"), where)
    for part in ("parameters", "quick"):
        if part in document:
            document[part] = check_parameters(document[part], where)
    extra = set(document.get("quick", ())) - set(document["parameters"])
    if extra:
        raise InputError(f"{where}: quick sets '{min(extra)}', which is not among its parameters.")
    return document


# -- checks ---------------------------------------------------------------------------------------------------------


@cache
def schema_named(name: str) -> Document:
    """A schema of workflow/schemas."""
    return read_yaml(root() / "workflow" / "schemas" / f"{name}.schema.yaml")


def check_against(value: Any, schema: Mapping[str, Any], where: str, name: str = "") -> None:
    """Raise the first violation as a sentence."""
    from jsonschema import Draft202012Validator

    error = next(
        iter(sorted(Draft202012Validator(schema).iter_errors(value), key=lambda e: list(map(str, e.path)))), None
    )
    if error is None:
        return
    path = "".join(
        f"[{p}]" if isinstance(p, int) else f".{p}" for p in ([name] if name else []) + list(error.absolute_path)
    )
    path = path.removeprefix(".")
    prefix = f"{where}: " if where else ""
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        key = next(k for k in error.instance if k not in known)
        inside = f" of {path}" if path else ""
        raise InputError(
            f"{prefix}unknown key '{key}'{inside}{did_you_mean(str(key), known)}; known are {', '.join(known)}."
        )
    if error.validator == "required":
        missing = next(k for k in error.validator_value if k not in error.instance)
        raise InputError(f"{prefix}'{missing}' is missing; add it.")
    raise InputError(f"{prefix}{path} is {show(error.instance)}; it must be {_allowed(error.schema)}.")


def _allowed(schema: Mapping[str, Any]) -> str:
    """What a schema allows, in words."""
    if "enum" in schema:
        return " or ".join(f"'{v}'" for v in schema["enum"])
    if "const" in schema:
        return f"'{schema['const']}'"
    if "oneOf" in schema:
        return ", or ".join(_allowed(option) for option in schema["oneOf"])
    kind = schema.get("type")
    if kind == "array":
        count = schema.get("minItems", 0)
        most = schema.get("maxItems")
        text = f"a list of {count} {f'to {most}' if most else 'or more'} values" if count else "a list"
        text += f", each {_allowed(schema['items'])}" if "items" in schema else ""
        return text + (", none twice" if schema.get("uniqueItems") else "")
    if kind == "object":
        return "a mapping of keys to values"
    if kind == "string":
        return "text"
    bounds = (
        ("exclusiveMinimum", "above"),
        ("minimum", "at least"),
        ("exclusiveMaximum", "below"),
        ("maximum", "at most"),
    )
    limits = [f"{word} {schema[key]}" for key, word in bounds if key in schema]
    return ("a whole number " if kind == "integer" else "a number ") + " and ".join(limits)


def _check_together(parameters: Mapping[str, Any], where: str) -> None:
    """What no single parameter can say; names mean the same everywhere, so these hold for every experiment."""
    prior, n, successes = (parameters.get(name) for name in ("prior", "n", "successes"))
    if prior is not None and not math.fsum(prior[:-1]) < prior[-1]:
        raise InputError(
            f"{where}: prior is {show(prior)}; its last number counts the pseudo-observations "
            "and must be above the sum of the others, as in [6, 18] for Beta(6, 12)."
        )
    probabilities = parameters.get("probabilities")
    if probabilities is not None and not math.isclose(math.fsum(probabilities), 1.0, rel_tol=1e-9):
        raise InputError(f"{where}: probabilities is {show(probabilities)}; they must sum to 1.")
    if n is not None and successes is not None and successes > n:
        raise InputError(f"{where}: successes is {successes}; it must be at most n = {n}.")


def _wants_list(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array"


def _numbers(value: Any, where: str) -> Any:
    """Strings that spell numbers as numbers (YAML 1.1 and command lines make 1e-3 a string); no infinities."""
    if isinstance(value, Mapping):
        return {key: _numbers(item, where) for key, item in value.items()}
    if isinstance(value, list):
        return [_numbers(item, where) for item in value]
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = int(value) if _WHOLE.fullmatch(value.strip()) else float(value)  # a float would lose digits of a seed
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{where} is {value}; it must be finite.")
    return value


def _whole_numbers(value: Any, schema: Mapping[str, Any]) -> Any:
    """1e6 as 1000000 where a whole number is meant."""
    if schema.get("type") == "integer":
        return int(value)
    if isinstance(value, list) and schema.get("items", {}).get("type") == "integer":
        return [int(item) for item in value]
    return value
