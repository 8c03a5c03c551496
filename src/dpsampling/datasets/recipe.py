"""What is public of a design: features with their bounds or levels, the label's rule, and the split.

It is read from config/datasets/NAME.yaml and never from the rows: bounds or levels that were taken from private rows
would tell about them outside every guarantee. So nothing is made by a recipe before somebody has declared it public.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dpsampling.datasets import descriptions
from dpsampling.errors import InputError, did_you_mean
from dpsampling.files.documents import Document
from dpsampling.privacy.public_by import Declaration, public_by


@dataclass(frozen=True)
class Number:
    """A number, clipped to its bounds; of an image, as many as it has points."""

    name: str
    low: float
    high: float
    missing: float | None = None  # what stands for an empty cell
    shape: tuple[int, int] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the design's columns."""
        if self.shape is None:
            return (self.name,)
        return tuple(f"{self.name}_{i}_{j}" for i in range(self.shape[0]) for j in range(self.shape[1]))


@dataclass(frozen=True)
class Category:
    """One of several levels; the first one is where no other is."""

    name: str
    levels: tuple[str, ...]
    other: str | None = None  # the level of every value outside the list

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the design's columns."""
        return tuple(f"{self.name}={level}" for level in self.levels[1:])


@dataclass(frozen=True)
class Label:
    """1 for numbers below or above a bound, or for some values; 0 for all others, or for some others."""

    column: str
    below: float | None = None
    above: float | None = None
    one: frozenset[str] = frozenset()
    zero: frozenset[str] | None = None
    drops: bool = False  # whether rows with neither are left out, and not refused
    bounds: tuple[float, float] | None = None  # public, of the numbers

    @property
    def is_number(self) -> bool:
        """Return whether the rule is about numbers."""
        return self.below is not None or self.above is not None


@dataclass(frozen=True)
class Split:
    """How many rows are for training, or which share of them; with neither, those of the first of two files."""

    train: int | None = None
    share: float | None = None


@dataclass(frozen=True)
class Recipe:
    """All that is public of a data set's design."""

    name: str
    title: str
    public: Declaration
    format: str
    delimiter: str
    names: tuple[str, ...]  # empty where the file has a header
    comment: str
    features: tuple[Number | Category, ...]
    label: Label
    split: Split

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the design's columns."""
        return tuple(column for feature in self.features for column in feature.columns)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns of the rows that are read."""
        return (*(feature.name for feature in self.features), self.label.column)


def load(name: str) -> Recipe:
    """The recipe of a data set of config/datasets."""
    return parse(descriptions.description(name), name)


def parse(document: Document, name: str) -> Recipe:
    """The recipe from what its YAML file says, or an InputError."""
    where = f"data set {name}"
    for key, remedy in (
        ("label", "say what is learned, as in label: {column: income, one: [high]}"),
        ("split", "say which rows are for training, as in split: {share: 0.7}"),
        (
            "public",
            "when all that stands here is public whatever the rows are, declare who made it so and when, as in "
            "public: {by: NAME, on: 2024-05-31}",
        ),
    ):
        if key not in document:
            raise InputError(f"{where} has no '{key}', so no design is made of it; {remedy}.")
    label = _label(document["label"], f"{where}: label")
    result = Recipe(
        name=name,
        title=document["title"],
        public=public_by(document["public"], f"{where}: public", "the description"),
        format=document.get("format", "csv"),
        delimiter=document.get("delimiter", ","),
        names=tuple(document.get("names", ())),
        comment=document.get("comment", ""),
        features=tuple(_features(document["columns"], label, where)),
        label=label,
        split=_split(document["split"], document, where),
    )
    _check_columns(result, document, where)
    return result


def _features(columns: Mapping[str, Any], label: Label, where: str) -> Iterator[Number | Category]:
    """The features in their order; the label's column is none."""
    for name, told in columns.items():
        here = f"{where}: column {name}"
        if name == label.column:
            if not isinstance(told, str):
                raise InputError(f"{here} is the label's, which is no feature; take its bounds or levels away.")
            continue
        if isinstance(told, str):
            raise InputError(f"{here} is a {told} without bounds or levels; a design needs them, so declare them.")
        if ("bounds" in told) == ("levels" in told):
            raise InputError(f"{here} needs either 'bounds', as in [0, 100], or 'levels', as in [no, perhaps].")
        yield _number(name, told, here) if "bounds" in told else _category(name, told, here)


def _number(name: str, told: Mapping[str, Any], here: str) -> Number:
    if "other" in told:
        raise InputError(f"{here} has 'other' beside 'bounds'; numbers outside their bounds are clipped.")
    low, high = _ordered(told["bounds"], here)
    shape = tuple(told["shape"]) if "shape" in told else None
    return Number(name, low, high, float(told["missing"]) if "missing" in told else None, shape)


def _category(name: str, told: Mapping[str, Any], here: str) -> Category:
    surplus = [key for key in ("missing", "shape") if key in told]
    if surplus:
        raise InputError(f"{here} has '{surplus[0]}' beside 'levels'; it is for numbers.")
    other = told.get("other")
    if other is not None and other not in told["levels"]:
        raise InputError(f"{here} has other: {other}, which is none of its levels; add it to them.")
    return Category(name, tuple(told["levels"]), other)


def _label(told: Mapping[str, Any], here: str) -> Label:
    rules = [rule for rule in ("below", "above", "one") if rule in told]
    if len(rules) != 1:
        raise InputError(f"{here} has {' and '.join(rules) or 'no rule'}; it needs one of below, above and one.")
    surplus = [key for key in ("zero", "others") if key in told and ("one" not in told or "zero" not in told)]
    if surplus:
        beside = "'one'" if surplus[0] == "zero" else "'one' and 'zero'"
        raise InputError(f"{here} has '{surplus[0]}' without {beside}; take it away, or add what it goes with.")
    one, zero = frozenset(told.get("one", ())), frozenset(told["zero"]) if "zero" in told else None
    if zero and one & zero:
        raise InputError(f"{here} has '{min(one & zero)}' among one and among zero; name it once.")
    drops = told.get("others", "refuse") == "drop"
    return Label(told["column"], told.get("below"), told.get("above"), one, zero, drops, _bounds(told, here))


def _bounds(told: Mapping[str, Any], here: str) -> tuple[float, float] | None:
    """The public bounds of a label's numbers, for regression."""
    if "bounds" not in told:
        return None
    if "one" in told:
        raise InputError(f"{here} has 'bounds' beside 'one'; they are for numbers.")
    return _ordered(told["bounds"], here)


def _ordered(told: list[float], here: str) -> tuple[float, float]:
    low, high = map(float, told)
    if not low < high:
        raise InputError(f"{here} has the bounds {low:g} and {high:g}; put the lower one first.")
    return low, high


def _split(told: Mapping[str, Any] | str, document: Document, where: str) -> Split:
    if isinstance(told, Mapping):
        if len(told) > 1:
            raise InputError(f"{where}: split has a number and a share; keep one of them.")
        return Split(told.get("train"), told.get("share"))
    if document.get("format") == "idx" or len(descriptions.files(document)) != 2:
        raise InputError(f"{where}: split is own, which is for a file to train with and one to test with; name both.")
    return Split()


def _check_columns(recipe: Recipe, document: Document, where: str) -> None:
    """What two parts of a description say of one column."""
    if not recipe.features:
        raise InputError(f"{where} has no column but the label's; declare features.")
    images = recipe.format == "idx"
    if images and (len(recipe.features) != 1 or len(descriptions.files(document)) != 2 or recipe.label.is_number):
        raise InputError(f"{where}: idx is a file of images and one of labels; declare one column, and label.one.")
    for feature in recipe.features:
        if images != (isinstance(feature, Number) and feature.shape is not None):
            raise InputError(f"{where}: column {feature.name} {'needs a' if images else 'has a'} shape; images have.")
    if recipe.names:
        for column in recipe.wanted:
            if column not in recipe.names:
                hint = did_you_mean(column, recipe.names)
                raise InputError(f"{where}: column '{column}' is not among its names{hint}.")
    if len(set(recipe.columns)) < len(recipe.columns):
        raise InputError(f"{where}: two columns of the design would have one name; rename a level.")
