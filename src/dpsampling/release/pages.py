"""All files of a release's folder, each made of the release and of what was computed of it.

Who writes the folder and who verifies it have them from here, so that every file can be made again and compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpsampling import files
from dpsampling.files import strict_json
from dpsampling.release import card, contents, kinds
from dpsampling.release.card import Sentence
from dpsampling.release.contents import Release
from dpsampling.release.kinds import Writer
from dpsampling.release.names import DATA, RELEASE, WORDS


def computed(release: Release) -> dict[str, Any]:
    """Return what a release says of the data, as its file will say it: a pair is a list there."""
    kept: dict[str, Any] = strict_json.loads(files.json_text(kinds.load(release.kind).results(release)))
    return kept


def said(release: Release, results: Mapping[str, Any]) -> list[Sentence]:
    """The sentences of its card."""
    content = files.json_text(contents.record(release, results)).encode()
    own = kinds.load(release.kind).sentences(release, results)
    return card.sentences(release, own, hashlib.sha256(content).hexdigest())


def texts(release: Release, results: Mapping[str, Any]) -> dict[str, str]:
    """The three files that every kind has, by name."""
    sentences = said(release, results)
    return {
        RELEASE: files.json_text(contents.record(release, results)),
        DATA: files.json_text([vars(sentence) for sentence in sentences]),
        WORDS: card.text(release, sentences),
    }


def of_kind(release: Release, results: Mapping[str, Any]) -> dict[str, Writer]:
    """The tables and pictures of its kind, by name."""
    return kinds.load(release.kind).files(release, results)


def put(place: Path, release: Release, results: Mapping[str, Any]) -> None:
    """Write the three files of every kind."""
    for name, content in texts(release, results).items():
        (place / name).write_text(content, encoding="utf-8", newline="\n")
