"""The source texts in the order of the page, and where in them an experiment or a claim stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reproduction import statements


@dataclass(frozen=True)
class Source:
    """A source: how experiments and claims begin its places, its name in the inventory, and where it can be read."""

    prefix: str
    name: str
    short: str
    href: str = ""

    @property
    def title(self) -> str:
        """Who wrote what, and when."""
        return statements.SOURCES.get(self.name, "")


SOURCES = (
    Source("thesis", "thesis", "thesis", "https://escholarship.org/uc/item/1dt1m5v1"),
    Source(
        "NIPS 2017",
        "nips",
        "NIPS 2017",
        "https://papers.neurips.cc/paper/2017/hash/56584778d5a8ab88d6393cc4cd11e090-Abstract.html",
    ),
    Source("UAI 2016", "uai", "UAI 2016", "https://arxiv.org/abs/1603.07294"),
    Source("DP review 2019", "review", "review 2019"),
    Source("Robust 2014", "robust", "robust 2014", "https://arxiv.org/abs/1306.1066"),
)
OURS = Source("", "", "ours and others")
_PLACE = re.compile(r"(?:[A-Z]\.)?\d+(?:\.\d+)*")
_FIRST = re.compile(r"(?:Figures?|Table|sections?|Theorems?|Lemmas?|Example|appendix|Proposition|eq\.|Remark)\s+(\S+)")


def source_of(place: str) -> Source:
    """The source that the words for a place name first."""
    found = [(place.find(s.prefix), s) for s in SOURCES if s.prefix in place]
    return min(found, key=lambda pair: pair[0])[1] if found else OURS


def chapter_of(source: Source, place: str) -> str:
    """The chapter, or section of a paper, of a place such as `5.4.1 Figure 5.3, l.79` or `supp. B.1 Cor. 9`."""
    if place.startswith("supp"):
        return "Supplement"
    found = re.match(r"[A-Z](?=\.\d|\b)|\d+", place)
    if found is None:
        return "Front matter"
    kind = "Appendix" if found[0].isalpha() else "Chapter" if source is SOURCES[0] else "Section"
    return f"{kind} {found[0]}"


def number_in(place: str) -> tuple[tuple[int, ...], bool]:
    """Sorts places of one source: the first number of a figure, table or section, sections before what is in them."""
    found = _FIRST.search(place)
    number = _PLACE.search(found[1] if found else place)
    parts = tuple(int(part) for part in re.findall(r"\d+", number[0])) if number else ()
    return (parts or (999,), "supplement" in place)
