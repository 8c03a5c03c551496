"""No setting asks for gigabytes or for days: every number is bounded on both sides, every list in length."""

import pytest

from dpsampling.cli.configuration import Config
from dpsampling.errors import InputError
from dpsampling.event_logs import forms
from reproduction import catalogue, parameters, project
from reproduction.config import resolve

VOCABULARY = catalogue.schema()["properties"]
LEAST = ("minimum", "exclusiveMinimum")
GREATEST = ("maximum", "exclusiveMaximum")


def unbounded(schema, name):
    """The places where a schema allows any number, or any number of values."""
    if "oneOf" in schema:
        return [place for option in schema["oneOf"] for place in unbounded(option, name)]
    found = []
    if schema.get("type") in {"number", "integer"}:
        found += [f"{name}: {ends}" for ends in (LEAST, GREATEST) if not any(end in schema for end in ends)]
    if schema.get("type") == "array":
        found += [] if "maxItems" in schema or "enum" in schema["items"] else [f"{name}: maxItems"]
        found += unbounded(schema["items"], f"{name}[]")
    for key, inside in schema.get("properties", {}).items():
        found += unbounded(inside, f"{name}.{key}")
    if isinstance(schema.get("additionalProperties"), dict):
        found += unbounded(schema["additionalProperties"], f"{name}.*")
    return found


@pytest.mark.parametrize("name", VOCABULARY)
def test_every_parameter_has_a_least_and_a_greatest_value(name):
    assert unbounded(VOCABULARY[name], name) == []


def test_so_has_every_number_of_the_other_documents():
    for form in (forms.Simulator, Config):
        schema = form.model_json_schema()
        for name, told in {**schema["$defs"], form.__name__: schema}.items():
            assert unbounded(told, name) == []


@pytest.mark.parametrize("name", project.names())
def test_every_experiment_is_within_the_bounds_at_every_scale(name):
    e = project.experiment(name)
    for changes in ({}, e.quick, e.smallest):
        resolve(e, changes)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", 1e-320), ("epsilons", [1e-320]), ("scales", [5e-324]), ("rows", 1e-9), ("alpha", 1e20),
        ("beta", 1e20), ("alphas", [1e20]), ("prior", [1e20, 1e21]), ("prior", [1e-320, 1]), ("steps", 10**12),
        ("n", 10**12), ("runs", 10**12), ("repeats", 10**12), ("sizes", [10**12]), ("sizes", list(range(1, 1000))),
        ("iterations", 10**9), ("burn_in", 10**9), ("orders", {"from": 2, "to": 3, "points": 10**6}),
        ("orders", [1e300]), ("orders", list(range(2, 20_000))), ("order", 1e300), ("successes", 10**30),
        ("delta", 1e-320), ("p", 1e-320), ("truncation", 1e-320), ("multiplier", 1e300), ("sigma", 1e300),
        ("rate", 1e-320), ("chain_lengths", list(range(2, 100))), ("n", float("nan")), ("order", float("inf")),
        ("n", 10**400), ("n", True), ("n", None), ("n", {}), ("n", [[[]]]),
    ],
)  # fmt: skip
def test_what_is_beyond_them_is_refused(name, value):
    with pytest.raises(InputError, match=rf"here: {name}\b"):
        parameters.check_parameters({name: value}, "here")


@pytest.mark.parametrize(
    "together",
    [
        {"iterations": 100_000, "splits": 1000, "share": 0.5},
        {"iterations": 100_000, "chains": 100},
        {"repeats": 100_000, "dimension": 1000},
        {"repeats": 100_000, "dimensions": [2, 1000]},
        {"repeats": 10_000, "dimension": 1000, "n": 1_000_000},
        {"orders": {"from": 2, "to": 3, "points": 5000}, "scales": [i / 100 for i in range(1, 101)]},
        {"graphs": [10, 1000], "categories": 64, "degree": 100},
    ],
)
def test_what_two_of_them_ask_for_together_is_bounded_too(together):
    with pytest.raises(InputError, match=r"is more than \d+, which would take too long or too much memory; lower one"):
        parameters.check_parameters(together, "here")
