"""What is accepted without the validator is what the validator accepts, whatever the schema and the value."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from dpsampling import documents, project

SCHEMAS = {
    **documents.schema_named("parameters")["properties"],
    **{name: documents.schema_named(name) for name in ("config", "experiment", "dataset", "log", "simulator")},
}
CONFIG = documents.read_yaml(documents.root() / "config/config.yaml")
NUMBERS = st.one_of(
    st.integers(-3, 5),
    st.floats(-2, 3),
    st.sampled_from([0.0, 1.0, 1, True, False, 2.0, float("nan"), float("inf"), 10**30, 1e-320]),
)
PLAIN = st.one_of(
    NUMBERS, st.none(), st.text(max_size=3), st.sampled_from(["all", "paper", "quick", "counts", "states"])
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["seed", "scale", "run", "title", "source", "columns", "x"]), inner, max_size=4
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=2000, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(SCHEMAS)), VALUES)
@example("rho", [0.5, 0.5])
@example("epsilons", [1, True])
@example("n", 2.0)
@example("config", CONFIG)
@example("config", {**CONFIG, "run": []})
@example("config", {**CONFIG, "run": "al"})
@example("config", {**CONFIG, "audit": {}})
def test_nothing_is_plainly_allowed_that_the_validator_refuses(name, value):
    if documents.plainly_allowed(value, SCHEMAS[name]):
        assert Draft202012Validator(SCHEMAS[name]).is_valid(value)


def changed(value, path=()):
    """Copies of a document with one value in it replaced by something else."""
    if isinstance(value, dict):
        for key, item in value.items():
            for other in changed(item, (*path, key)):
                yield {**value, key: other}
            yield {k: v for k, v in value.items() if k != key}
    elif isinstance(value, list):
        for i, item in enumerate(value[:3]):
            for other in changed(item, (*path, i)):
                yield [*value[:i], other, *value[i + 1 :]]
        yield value + value[:1]
        yield []
    for other in (None, True, -1, 0.5, "text", [], {}):
        yield other


@pytest.mark.parametrize("name", ["fig4_6", "fig5_3", "fig5_7", "fig7_3", "public_steps"])
def test_nor_in_changed_copies_of_real_documents(name):
    document, schema = documents.read_yaml(project.path_of(name)), documents.schema_named("experiment")
    refused = 0
    for other in changed(document):
        valid = Draft202012Validator(schema).is_valid(other)
        refused += not valid
        assert valid or not documents.plainly_allowed(other, schema)
    assert refused > 10
    vocabulary = documents.schema_named("parameters")["properties"]
    for key, value in document["parameters"].items():
        for other in changed(value):
            valid = Draft202012Validator(vocabulary[key]).is_valid(other)
            assert valid or not documents.plainly_allowed(other, vocabulary[key])


def test_the_projects_own_documents_need_no_validator():
    assert documents.plainly_allowed(CONFIG, SCHEMAS["config"])
    for name in project.names():
        assert documents.plainly_allowed(documents.read_yaml(project.path_of(name)), SCHEMAS["experiment"]), name
