"""Whether a folder is the release that it says it is: all of it is computed again from its numbers, without the data.

    release.json   has the form of one, and says of itself what can be so: dates, budget, unit, public time
    the level      of the mechanism that it names, in balls, against the one that it states
    the numbers    lie on their grid, in their range
    the results    follow from the numbers and from `chance`
    the words      of CARD.md and card.json follow from both, and so do tables, byte by byte, and pictures, by pixel
    the folder     holds nothing else, but releases that were made of the same numbers, which are verified too

A chain takes the same course with the same versions only, as pictures have the same pixels: with others, both are
looked at for what is impossible, and that they were not made again is said.
"""

from __future__ import annotations

import datetime
import hashlib
import io
import math
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dpsampling.errors import InputError, reason
from dpsampling.files import regular_files, strict_json
from dpsampling.privacy import budget
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.release import comparing, contents, kinds, pages, publish
from dpsampling.release.card import Sentence
from dpsampling.release.comparing import shown, some
from dpsampling.release.contents import CHANCE, Release
from dpsampling.release.names import DATA, RELEASE, WORDS

PICTURES = (".png", ".pdf", ".svg")
EARLIEST = datetime.date(2020, 1, 1)  # no such release is older
ROUNDED = 2.0**-30  # of itself, what a stated level may be above the exact one
ULPS = 8  # what sums of levels may be off
BROKEN = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)  # of a kind that is told nonsense


@dataclass(frozen=True)
class Verified:
    """What was found, each fault in a few words that name its place."""

    faults: tuple[str, ...]
    count: int  # of files that were compared
    unchecked: tuple[str, ...]
    sha256: str  # of release.json


@dataclass(frozen=True)
class Stated:
    """What a folder's release.json says."""

    release: Release
    results: dict[str, Any]
    sha256: str


def verify(folder: Path, ledger: Path | None = None) -> Verified:
    """All that can be verified of a folder, and of the releases inside it."""
    return _verified(folder, ledger, None)


def explained(folder: Path) -> tuple[Release, list[Sentence]]:
    """The card, made of release.json alone, or an InputError if that says what cannot be so."""
    stated, faults = _read(folder)
    if stated is not None and not faults:
        faults = _of_statement(stated)
    if stated is None or faults:
        raise InputError(f"{folder} is no release as it stands ({faults[0]}); see 'dpsampling verify {folder}'.")
    try:
        return stated.release, pages.said(stated.release, stated.results)
    except BROKEN as error:
        raise InputError(f"{folder} has results that no release has; see 'dpsampling verify {folder}'.") from error


def _verified(folder: Path, ledger: Path | None, above: Stated | None) -> Verified:
    stated, faults = _read(folder)
    if stated is None:
        return Verified(tuple(faults), 1, (), "")
    faults += _of_statement(stated)
    unchecked = ["the rows", *(["the ledger, which --ledger names"] if ledger is None else [])]
    if ledger is not None:
        faults += _of_ledger(ledger, stated.release)
    faults += _of_source(stated, above, unchecked)
    faults += _of_results(stated, unchecked)
    names, of_files = _of_files(folder, stated, unchecked)
    faults += of_files
    inner, others = _of_folder(folder, names)
    faults += others
    count = len(names)
    for path in inner:
        found = _verified(path, ledger, stated)
        faults += [f"{path.name}/{fault}" for fault in found.faults]
        unchecked += [f"{told} of {path.name}" for told in found.unchecked if told not in unchecked]
        count += found.count
    return Verified(tuple(dict.fromkeys(faults)), count, tuple(unchecked), stated.sha256)


# -- release.json ----------------------------------------------------------------------------------------------------


def _read(folder: Path) -> tuple[Stated | None, list[str]]:
    """Return what the file says, or what keeps it from being read."""
    path = folder / RELEASE
    try:
        content = regular_files.content(path, contents.LARGEST)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({reason(error)}); name a folder that holds a release.") from error
    try:
        document = strict_json.loads(content)
    except ValueError as error:
        return None, [f"{RELEASE} is no JSON as it is written here ({reason(error)})"]
    faults = some(comparing.misshapen(document, comparing.FORM, RELEASE))
    if faults:
        return None, faults
    try:
        release = contents.from_record(document, RELEASE)
    except InputError as error:
        return None, [str(error).removesuffix(".")]
    stated = Stated(release, document["results"], hashlib.sha256(content).hexdigest())
    return stated, some(comparing.differences(document, contents.record(release, stated.results), RELEASE, 0.0))


def _of_statement(stated: Stated) -> list[str]:
    """Return what cannot be so, whatever the results are."""
    release = stated.release
    found = [*_of_dates(release), *_of_budget(release), *_of_answer(release)]
    if release.unit.most > 1 and not release.identified:
        found.append(
            f"{RELEASE}: unit.most is {release.unit.most}, and nothing says which rows are of one {release.unit.name}"
        )
    if release.kind not in kinds.KINDS:
        return [*found, f"{RELEASE}: kind is {shown(release.kind)}, which is none of {', '.join(kinds.KINDS)}"]
    kind = kinds.load(release.kind)
    found += _asked(lambda: [f"{RELEASE}: {fault}" for fault in kind.faults(release)], release)
    return found + _asked(lambda: list(_of_level(release, kind.promised(release))), release)


def _asked(ask: Callable[[], list[str]], release: Release) -> list[str]:
    """Return what a kind says; where that fails, what it was asked about is the fault."""
    try:
        return ask()
    except BROKEN as error:
        return [
            f"{RELEASE}: mechanism, declared, settings or results are not those of a release of kind "
            f"{shown(release.kind)} ({reason(error)})"
        ]


def _of_level(release: Release, promised: Pure | Approximate) -> Iterator[str]:
    """The stated guarantee against the one that the mechanism gives."""
    stated, at = release.guarantee, f"{RELEASE}: guarantee"
    delta, follows = (g.delta if isinstance(g, Approximate) else 0.0 for g in (stated, promised))
    if delta != follows:
        yield f"{at}.delta is {delta!r}, where the mechanism has {follows!r}"
    if stated.relation is not promised.relation:
        yield f"{at}.relation is '{stated.relation.value}', where the mechanism has '{promised.relation.value}'"
    if stated.conditions != promised.conditions:
        yield (
            f"{at}.conditions are {shown(list(stated.conditions))}, where the mechanism has "
            f"{shown(list(promised.conditions))}"
        )
    enclosure = promised.enclosure if isinstance(promised, Pure) else None
    least = promised.epsilon * (1.0 - ROUNDED) if enclosure is None else enclosure.lower
    if stated.epsilon < least:
        yield f"{at}.epsilon is {stated.epsilon!r}, less than {least!r}, which the mechanism costs at the least"
    if stated.epsilon > promised.epsilon * (1.0 + ROUNDED):
        yield f"{at}.epsilon is {stated.epsilon!r}, more than {promised.epsilon!r}, which the mechanism costs"


def _of_budget(release: Release) -> Iterator[str]:
    paid, at = release.budget, f"{RELEASE}: budget"
    price = 0.0 if release.derived_from is not None else release.guarantee.epsilon
    for name, value in vars(paid).items():
        if not 0 <= value < math.inf:
            yield f"{at}.{name} is {value!r}, which is no level"
            return
    if paid.charged != price:
        yield f"{at}.charged is {paid.charged!r}, where this release costs {price!r}"
    if not paid.total:
        if paid.spent or paid.left:
            yield f"{at}.total is 0, as without an account, and {paid.spent!r} is spent and {paid.left!r} left"
        return
    if abs(Fraction(paid.spent) + Fraction(paid.left) - Fraction(paid.total)) > ULPS * Fraction(math.ulp(paid.total)):
        yield f"{at}.spent and left are {paid.spent!r} and {paid.left!r}, which are not the total of {paid.total!r}"
    if not paid.delta and paid.charged > paid.spent:
        yield f"{at}.spent is {paid.spent!r}, less than the {paid.charged!r} that was charged"
    delta = release.guarantee.delta if isinstance(release.guarantee, Approximate) else 0.0
    if delta > paid.delta:
        yield f"{at}.delta is {paid.delta!r}, less than the {delta!r} of this release"


def _of_dates(release: Release) -> Iterator[str]:
    tomorrow = datetime.date.today() + datetime.timedelta(days=1)  # it may be tomorrow already where it was made
    try:
        on = datetime.date.fromisoformat(release.on)
    except ValueError:
        yield f"{RELEASE}: on is {shown(release.on)}, which is no day"
        return
    if on.isoformat() != release.on or not EARLIEST <= on <= tomorrow:
        yield f"{RELEASE}: on is {shown(release.on)}, a day on which it cannot have been made"
    by = release.declared.get("by")
    if isinstance(by, list) and len(by) == 2:
        try:
            declared = datetime.date.fromisoformat(str(by[1]))
        except ValueError:
            yield f"{RELEASE}: declared.by has {shown(by[1])}, which is no day"
            return
        if declared > on + datetime.timedelta(days=1):
            yield f"{RELEASE}: declared.by has {shown(by[1])}, after the release of {release.on}"


def _of_answer(release: Release) -> Iterator[str]:
    answered = release.answered
    if not 0 <= answered.quantum < math.inf or answered.at < (1 if answered.quantum else 0):
        yield f"{RELEASE}: answered.at is {answered.at}, at a quantum of {answered.quantum!r}, which is no multiple"
    if not 0 <= release.chance < 1 << CHANCE:
        yield f"{RELEASE}: chance has more than {CHANCE} bits"


# -- what it was paid from, and made of --------------------------------------------------------------------------------


def _of_ledger(path: Path, release: Release) -> list[str]:
    """Return whether a ledger has the charge, and says what the release says of it."""
    account = budget.kept(path)
    paid, price = release.budget, release.guarantee.epsilon
    if account.unit != release.unit.name:
        return [f"{path.name} protects each {shown(account.unit)}, the release each {shown(release.unit.name)}"]
    if (account.total.epsilon, account.total.delta) != (paid.total, paid.delta):
        return [
            f"{path.name} has a total of {account.total.epsilon!r} at delta {account.total.delta!r}, the release "
            f"{paid.total!r} at {paid.delta!r}"
        ]
    name = publish.line(release.kind, release.mechanism)
    record = {"total": paid.total, "spent": paid.spent, "left": paid.left}
    for end, entry in enumerate(account.entries, start=1):
        level = entry.guarantee.epsilon if isinstance(entry.guarantee, Pure | Approximate) else math.nan
        then = replace(account, entries=account.entries[:end])
        if entry.mechanism == name and level == price and then.record == record:
            return []
    return [f"{path.name} has no line that charges {price!r} for '{name}' and leaves {paid.left!r}"]


def _of_source(stated: Stated, above: Stated | None, unchecked: list[str]) -> list[str]:
    """Return whether a release that cost nothing has the numbers of the one that it lies in."""
    release, found = stated.release, []
    if above is None:
        if release.derived_from is not None:
            unchecked.append("the release that its numbers are from")
        return []
    if release.derived_from != above.sha256:
        found.append(f"{RELEASE}: derived_from is {shown(release.derived_from)}, where {above.sha256} is around it")
    one, other = (contents.record(s.release, {}) for s in (stated, above))
    differing = [part for part in ("unit", "declared", "mechanism", "guarantee", "numbers") if one[part] != other[part]]
    return found + [f"{RELEASE}: {part} is not that of the release around it" for part in differing]


# -- results and files -------------------------------------------------------------------------------------------------


def _of_results(stated: Stated, unchecked: list[str]) -> list[str]:
    release = stated.release
    if release.kind not in kinds.KINDS:
        return []
    consistent: Callable[[Release, Mapping[str, Any]], list[str]] | None
    consistent = getattr(kinds.load(release.kind), "consistent", None)
    inner: list[str] = []
    if consistent is not None:
        inner = _asked(lambda: [f"{RELEASE}: {fault}" for fault in consistent(release, stated.results)], release)
        if not same_versions(release):
            unchecked.append(f"the model, which was made with other versions ({_versions(release)})")
            return inner
    return inner + _asked(
        lambda: some(comparing.differences(stated.results, pages.computed(release), f"{RELEASE}: results")), release
    )


def same_versions(release: Release) -> bool:
    """Return whether what was computed then is computed alike now."""
    return dict(release.made_with) == publish.made_with()


def _versions(release: Release) -> str:
    now = publish.made_with()
    return ", ".join(f"{name} {version}" for name, version in release.made_with.items() if now.get(name) != version)


def _of_files(folder: Path, stated: Stated, unchecked: list[str]) -> tuple[set[str], list[str]]:
    """The names of the files that belong here, and what is wrong with them."""
    release, results = stated.release, stated.results
    if release.kind not in kinds.KINDS:
        return {RELEASE, DATA, WORDS}, []
    try:
        sentences = pages.said(release, results)
        texts, writers = pages.texts(release, results), pages.of_kind(release, results)
    except BROKEN as error:
        return {RELEASE, DATA, WORDS}, [f"{RELEASE}: no card can be made of it ({reason(error)})"]
    found = list(_of_words(folder, texts[WORDS])) + list(_of_data(folder, sentences, texts[DATA]))
    redrawn = same_versions(release)
    with tempfile.TemporaryDirectory() as scratch:
        for name, write in writers.items():
            picture = Path(name).suffix in PICTURES
            if picture and not redrawn:
                unchecked.append(f"{name}, which was drawn with other versions")
            content = _content(folder / name)
            if content is None:
                found.append(f"{name} is missing, or is no file")
            elif not picture or redrawn:
                found += _asked(lambda: _compared(name, write, content, Path(scratch)), release)  # noqa: B023
    return {*texts, *writers}, found


def _compared(name: str, write: kinds.Writer, content: bytes, scratch: Path) -> list[str]:
    """A table by its bytes, a picture by its pixels."""
    again = scratch / f"again{Path(name).suffix}"
    write(again)
    expected = again.read_bytes()
    if content == expected:
        return []
    if Path(name).suffix in PICTURES:
        shows = Path(name).suffix == ".png" and _pixels_agree(content, again)
        return [] if shows else [f"{name} shows something else than follows from the numbers"]
    one, other = content.splitlines(), expected.splitlines()
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return [f"{name}, line {place + 1}, is not what follows from the numbers"]


def _pixels_agree(content: bytes, again: Path) -> bool:
    from matplotlib.image import imread

    try:
        return bool(np.array_equal(imread(io.BytesIO(content), format="png"), imread(again)))
    except (OSError, ValueError, SyntaxError):  # it is no picture
        return False


def _of_words(folder: Path, expected: str) -> Iterator[str]:
    content = _content(folder / WORDS)
    if content is None:
        yield f"{WORDS} is missing, or is no file"
    elif content != expected.encode():
        text = content.decode(errors="replace")
        faults = some(comparing.of_cards(comparing.paragraphs(text), comparing.paragraphs(expected), WORDS))
        yield from faults or [f"{WORDS} has the words that follow from the numbers in another order or form"]


def _of_data(folder: Path, sentences: list[Sentence], expected: str) -> Iterator[str]:
    content = _content(folder / DATA)
    if content is None:
        yield f"{DATA} is missing, or is no file"
    elif content != expected.encode():
        try:
            told = strict_json.loads(content)
            words = [(str(sentence["about"]), str(sentence["text"])) for sentence in told]
        except BROKEN:
            yield f"{DATA} is no card"
            return
        faults = some(comparing.of_cards(words, [(s.about, s.text) for s in sentences], DATA))
        faults = faults or some(comparing.differences(told, strict_json.loads(expected), DATA, 0.0))
        yield from faults or [f"{DATA} has what follows from the numbers in another order or form"]


def _of_folder(folder: Path, names: set[str]) -> tuple[list[Path], list[str]]:
    """Releases inside, and whatever else does not belong there."""
    inner, found = [], []
    for path in sorted(folder.iterdir()):
        mode = path.lstat().st_mode
        if path.name in names:
            if not stat.S_ISREG(mode):
                found.append(f"{path.name} is no regular file")
        elif stat.S_ISDIR(mode) and (path / RELEASE).is_file():
            inner.append(path)
        else:
            found.append(f"{path.name} is there, and belongs to no such release")
    return inner, found


def _content(path: Path) -> bytes | None:
    try:
        return regular_files.content(path, contents.LARGEST)
    except (OSError, InputError):
        return None
