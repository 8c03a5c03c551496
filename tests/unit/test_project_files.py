"""The project's own files agree with one another and name no machine."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

from conftest import PROJECT, tracked_files

PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    groups = [PYPROJECT["dependencies"], *PYPROJECT["optional-dependencies"].values()]
    names = {normal(re.match(r"[A-Za-z0-9_.-]+", line)[0]) for group in groups for line in group}
    return names - {PYPROJECT["name"]}  # an extra may take in another one


def locked() -> dict[str, str]:
    text = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    return {
        normal(name): version for name, version in re.findall(r"^([A-Za-z0-9_.-]+)==([^ \\;]+)", text, re.MULTILINE)
    }


def conda() -> dict[str, str]:
    document = yaml.safe_load((PROJECT / "environment.yml").read_text(encoding="utf-8"))
    pins: dict[str, str] = {}
    for entry in document["dependencies"]:
        for line in entry["pip"] if isinstance(entry, dict) else [entry]:
            name, _, version = re.sub("==?", "=", line).partition("=")
            pins[normal(name)] = version
    return pins


def test_the_lock_holds_every_declared_dependency():
    assert declared() <= set(locked())


def test_every_locked_package_has_hashes_and_no_address():
    text = (PROJECT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"(?m)^(?=[A-Za-z0-9])", text)[1:]
    assert len(entries) == len(re.findall(r"^[A-Za-z0-9_.-]+==", text, re.MULTILINE))
    assert all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in text
    assert "index" not in re.sub(r"(?m)^\s*#.*$", "", text)


def test_the_conda_environment_pins_the_locked_versions():
    pins = conda()
    assert {name: pins.get(name) for name in declared()} == {name: locked()[name] for name in declared()}


def test_no_file_names_this_machine_or_a_registry():
    patterns = {
        "an absolute path of a machine": re.compile(rf"{re.escape(str(PROJECT))}/|/home/\w|/roo[t]/|/Users/\w"),
        "a package registry": re.compile(
            r"index-url\s*=|find-links\s*=|(pypi|pythonhosted|npmjs)\.org|deb\.debian\.org"
        ),
    }
    found = []
    for path in tracked_files():
        if path.name == "test_project_files.py":  # it spells what it looks for
            continue
        try:
            text = (PROJECT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path} names {what}: {m[0]}" for what, pattern in patterns.items() if (m := pattern.search(text))]
    assert not found


def test_no_log_rows_and_nothing_large_is_committed():
    large = [str(path) for path in tracked_files() if (PROJECT / path).stat().st_size > 1_000_000]
    assert not large
    assert not [path for path in tracked_files() if path.parts[:2] in {("data", "raw"), ("data", "simulated")}]


@pytest.mark.parametrize(
    "name", ["README.md", "LICENSE", "CITATION.cff", "environment.yml", ".ci/run", "data/README.md"]
)
def test_the_files_a_newcomer_looks_for_are_there(name):
    assert (PROJECT / name).read_text(encoding="utf-8").strip()


def test_the_version_stands_in_one_place_for_each_reader():
    from dpsampling import __version__

    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    assert __version__ == PYPROJECT["version"] == citation["version"]
