"""What the templates show: plain values, gathered before anything is written. Text is text; templates escape it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Link:
    """Words, and where they lead if anywhere."""

    text: str
    href: str = ""


@dataclass(frozen=True)
class Count:
    """How many claims are of a kind, and the filter that shows them alone."""

    name: str
    number: int
    css: str
    sign: str = ""
    meaning: str = ""

    @property
    def target(self) -> str:
        """The place on the page that leaves these alone when it is linked to."""
        return f"only-{self.css}"


@dataclass(frozen=True)
class Finding:
    """One sentence of the first screen: what it answers, and its words with links to what they count."""

    about: str
    words: tuple[Link, ...]


@dataclass(frozen=True)
class Table:
    """A table whose rows begin with their name; on a narrow screen each row is a card."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: tuple[str, ...] = ()
    numbers: bool = False


@dataclass(frozen=True)
class Picture:
    """An image as it stands in the page, and what its file says that it shows."""

    uri: str
    width: int
    height: int
    caption: str


@dataclass(frozen=True)
class Claim:
    """One claim with its verdict."""

    id: str
    source: str
    statement: str
    expected: str
    measured: str
    tolerance: str
    verdict: Count
    evidence: str
    ours: bool
    overstated: bool
    classes: str

    @property
    def anchor(self) -> str:
        """Where it stands on the page."""
        return anchor(f"claim-{self.id}")


@dataclass(frozen=True)
class Experiment:
    """One experiment: its figure, its claims with the problems first, and all it takes to make them again."""

    id: str
    title: str
    source: str
    document: Link
    counts: tuple[Count, ...]
    rests: str
    claims: tuple[Claim, ...]
    picture: Picture | None
    data: str
    settings: str
    parameters: Table | None
    command: str
    steps: str
    files: tuple[Link, ...]
    code: tuple[Link, ...]
    commit: str
    spent: str

    @property
    def anchor(self) -> str:
        """Where it stands on the page."""
        return anchor(self.id)

    @property
    def words(self) -> str:
        """What the picture shows, for who cannot see it."""
        told = f" {self.picture.caption}" if self.picture and self.picture.caption else ""
        where = f" ({self.source})" if self.source else ""
        return f"Plot {self.id}: {self.title}{where}.{told} Its numbers are in tables/{self.id}.csv."


@dataclass(frozen=True)
class Group:
    """Experiments of one source and chapter, in the source's own order."""

    title: str
    counts: tuple[Count, ...]
    experiments: tuple[Experiment, ...]

    @property
    def anchor(self) -> str:
        """Where its figures stand on the page."""
        return anchor(f"figures-{self.title}")


@dataclass(frozen=True)
class Statement:
    """One statement of a source, and what decides it: claims, tests, another one, or a reason why nothing does."""

    id: str
    where: str
    kind: str
    text: str
    verdict: Count | None
    claims: tuple[Link, ...]
    tests: tuple[str, ...]
    same_as: Link | None
    reason: str

    @property
    def anchor(self) -> str:
        """Where it stands on the page."""
        return anchor(f"statement-{self.id}")


@dataclass(frozen=True)
class Chapter:
    """The statements of a chapter of a source, in its order."""

    title: str
    statements: tuple[Statement, ...]
    counts: tuple[Count, ...]
    others: str


@dataclass(frozen=True)
class Document:
    """A source with its statements."""

    title: str
    href: str
    chapters: tuple[Chapter, ...]


@dataclass(frozen=True)
class Erratum:
    """One entry of the errata."""

    id: str
    source: str
    statement: str
    right: str
    as_printed: str
    as_corrected: str
    tolerance: str
    verdict: Count
    evidence: str

    @property
    def claim(self) -> str:
        """Where its claim stands on the page."""
        return anchor(f"claim-{self.id}")


@dataclass(frozen=True)
class Gravity:
    """The errata of one gravity."""

    title: str
    errata: tuple[Erratum, ...]


@dataclass(frozen=True)
class Section:
    """A part of the page behind the claims: words, then tables, each folded under its title."""

    id: str
    title: str
    words: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    folded: tuple[tuple[str, Table], ...] = ()


@dataclass(frozen=True)
class Page:
    """All that the page shows."""

    title: str
    intro: str
    quick: bool
    target: str
    counts: tuple[Count, ...]
    rests: tuple[Count, ...]
    held: Count
    ours: Count
    total: int
    findings: tuple[Finding, ...]
    missing: tuple[str, ...]
    groups: tuple[Group, ...]
    errata: tuple[Gravity, ...]
    no_errata: str
    documents: tuple[Document, ...]
    statements: str
    sections: tuple[Section, ...]
    facts: tuple[tuple[str, str], ...]
    promise: str
    files: tuple[tuple[Link, str], ...] = field(default=())

    @property
    def filters(self) -> tuple[Count, ...]:
        """All that claims can be filtered by."""
        return (*self.counts, *self.rests, self.held, self.ours)

    @property
    def figures(self) -> int:
        """How many figures there are."""
        return sum(e.picture is not None for group in self.groups for e in group.experiments)


def anchor(text: str) -> str:
    """A name that a link within the page can point at."""
    return re.sub(r"[^\w.-]", "-", text)
