"""Profile graphs from CSV files, and mechanisms as JSON files that describe and check themselves.

A mechanism file holds the graph, the level asked for and the one verified, and every transition matrix, with floats
that read back exactly. It ends with a checksum; reading it checks that and every constraint again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from dpsampling.errors import InputError
from dpsampling.files import regular_files, strict_csv, strict_json
from dpsampling.profiles.graph import ProfileGraph, check_epsilon
from dpsampling.profiles.mechanism import ProfileMechanism

LARGEST = 10_000_000  # entries of all matrices of a mechanism
FORMAT, VERSION = "dpsampling profile mechanism", 1
_KEYS = {
    "format", "version", "mechanism", "epsilon", "verified_epsilon", "categories", "profiles", "edges", "costs",
    "expected_corruption", "sha256",
}  # fmt: skip


def read_graph(profiles: Path, edges: Path) -> ProfileGraph:
    """Profiles from rows `name, probability, probability, …` under their header, edges from rows `name, name`."""
    header, rows = _table(profiles)
    if header[0].lower() != "profile" or len(header) < 3:
        raise InputError(
            f"{profiles} begins with '{','.join(header)}'; its first line is 'profile' and the names of two categories "
            "or more."
        )
    names, probabilities = [], []
    for line, row in rows:
        if len(row) != len(header):
            raise InputError(f"{profiles}, line {line}: there are {len(row)} cells; the header has {len(header)}.")
        names.append(row[0])
        probabilities.append([_number(cell, f"{profiles}, line {line}") for cell in row[1:]])
    categories = len(header) - 1
    if len(names) * categories**2 > LARGEST:
        raise InputError(
            f"{profiles}: {len(names)} profiles of {categories} categories need {len(names) * categories**2} "
            f"probabilities of a mechanism; give fewer, so that they are at most {LARGEST}."
        )
    try:
        return ProfileGraph(
            tuple(names),
            tuple(header[1:]),
            np.array(probabilities).reshape(-1, len(header) - 1),
            np.array(read_edges(edges, names) if names else [], dtype=int),
        )
    except InputError as error:
        raise InputError(f"{profiles} and {edges}: {error}") from error


def read_edges(path: Path, names: list[str]) -> list[tuple[int, int]]:
    """Pairs of rows of the profiles' table. A first line that is no edge is a header."""
    number = {name: row for row, name in enumerate(names)}
    header, rows = _table(path)
    lines = [(1, header), *rows] if set(header) <= set(number) else list(rows)
    found = []
    for line, row in lines:
        if len(row) != 2:
            raise InputError(f"{path}, line {line}: there are {len(row)} cells; an edge names two profiles.")
        for name in row:
            if name not in number:
                raise InputError(f"{path}, line {line}: '{name}' is no profile; add it to the profiles or correct it.")
        found.append((number[row[0]], number[row[1]]))
    return found


def document(mechanism: ProfileMechanism) -> str:
    """The mechanism as JSON text."""
    graph = mechanism.graph
    profiles = [
        {
            "name": name,
            "probabilities": probabilities,
            "expected_corruption": float(corruption),
            "largest_flip": float(flip),
            "matrix": matrix,
        }
        for name, probabilities, corruption, flip, matrix in zip(
            graph.names,
            graph.probabilities.tolist(),
            mechanism.expected_corruption,
            mechanism.largest_flips,
            mechanism.matrices.tolist(),
            strict=True,
        )
    ]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "mechanism": mechanism.kind,
        "epsilon": mechanism.epsilon,
        "verified_epsilon": mechanism.verified_epsilon,
        "categories": list(graph.categories),
        "edges": [[graph.names[i], graph.names[j]] for i, j in graph.edges.tolist()],
        "costs": mechanism.costs.tolist(),
        "expected_corruption": float(mechanism.expected_corruption.sum()),
        "profiles": profiles,
    }
    return _text({**content, "sha256": _checksum(content)})


def read_mechanism(path: Path) -> ProfileMechanism:
    """A mechanism that `document` wrote, unchanged; its constraints are checked again."""
    try:
        content = strict_json.read(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); make it with 'profiles solve'.") from error
    except ValueError as error:
        raise InputError(f"{path} is not JSON; make it with 'profiles solve'.") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{path} is not a {FORMAT}; make it with 'profiles solve'.")
    if content.get("version") != VERSION:
        raise InputError(
            f"{path} has version {content.get('version')} of the format, this program reads {VERSION}; "
            "make it again with 'profiles solve'."
        )
    given = {key: value for key, value in content.items() if key != "sha256"}
    if set(content) != _KEYS or content["sha256"] != _checksum(given):
        raise InputError(f"{path} has changed since it was written; make it again with 'profiles solve'.")
    try:
        return _mechanism(given)
    except (InputError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{path} does not hold a private mechanism ({error}); make it again.") from error


def observations(stream: TextIO, where: str, mechanism: ProfileMechanism) -> Iterator[tuple[int, int]]:
    """Pairs (profile's row, category's column) from lines `profile,observation` under that header.

    They are secret: what is wrong with one is said by its line and column, without a word of it.
    """
    profile = {name: row for row, name in enumerate(mechanism.graph.names)}
    category = {name: column for column, name in enumerate(mechanism.graph.categories)}
    lines = _lines(stream, where)
    header = next(lines, (1, []))[1]
    if [name.lower() for name in header] != ["profile", "observation"]:
        raise InputError(f"{where} does not begin with the line 'profile,observation'; put that before the others.")
    for line, row in lines:
        if len(row) != 2:
            raise InputError(f"{where}, line {line}: there are {len(row)} cells; give a profile and an observation.")
        if row[0] not in profile:
            raise InputError(f"{where}, line {line}, column 1: there is no such profile in this mechanism; correct it.")
        if row[1] not in category:
            raise InputError(
                f"{where}, line {line}, column 2: there is no such category in this mechanism; it knows "
                f"{', '.join(list(category)[:8])}{', …' if len(category) > 8 else ''}."
            )
        yield profile[row[0]], category[row[1]]


def _mechanism(content: dict[str, Any]) -> ProfileMechanism:
    entries = content["profiles"]
    names = tuple(entry["name"] for entry in entries)
    if not all(isinstance(word, str) for word in (*names, *content["categories"], content["mechanism"])):
        raise TypeError("names of profiles, categories and the mechanism are text")
    number = {name: row for row, name in enumerate(names)}
    graph = ProfileGraph(
        names,
        tuple(content["categories"]),
        np.array([entry["probabilities"] for entry in entries], dtype=float),
        np.array([[number[a], number[b]] for a, b in content["edges"]], dtype=int),
    )
    matrices = np.array([entry["matrix"] for entry in entries], dtype=float)
    return ProfileMechanism(graph, check_epsilon(content["epsilon"]), content["mechanism"], matrices)


def _text(content: dict[str, Any]) -> str:
    """JSON with a line for each profile, edge list and number: long enough to read, short enough to look through."""
    lines = []
    for key, value in content.items():
        if key == "profiles":
            rows = ",\n    ".join(json.dumps(entry, ensure_ascii=False, allow_nan=False) for entry in value)
            lines.append(f'  "profiles": [\n    {rows}\n  ]')
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header and the numbered rows of a CSV file."""
    try:
        with regular_files.text(path, strict_csv.LARGEST) as stream:
            lines = list(_lines(stream, str(path)))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a CSV file.") from error
    if not lines:
        raise InputError(f"{path} is empty; give a CSV file with a header.")
    return lines[0][1], lines[1:]


def _lines(stream: TextIO, where: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with their line numbers; blank lines are left out."""
    for line, row in strict_csv.rows(stream, where, "give a CSV file"):
        cells = [cell.strip() for cell in row]
        if any(cells):
            yield line, cells


def _number(cell: str, where: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(f"{where}: '{cell}' is no number.") from None
