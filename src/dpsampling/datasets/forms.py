"""What the files of config/datasets may say."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from dpsampling.files.checking import BY_KIND, LIST, MAPPING, TEXT, Different, Form, Path, Public, key

Number = Annotated[float, Field(ge=-1e100, le=1e100)]
Bounds = Annotated[list[Number], Field(min_length=2, max_length=2)]
Size = Annotated[int, Field(ge=1, le=1000)]
Levels = Annotated[list[str], Field(min_length=1, max_length=1000), Different]
Files = Annotated[list[Path], Field(min_length=1, max_length=8), Different]
Checksum = Annotated[str, Field(pattern="^[0-9a-f]{64}$", title="64 digits from 0 to f")]
Checksums = Annotated[list[Checksum], Field(min_length=1, max_length=8)]
Address = Annotated[
    str, Field(pattern="^(https|file)://[!-~]+$", title="an address that begins with https:// or file://")
]
PIP = "^[A-Za-z0-9][A-Za-z0-9._-]*==[0-9][0-9A-Za-z.]*$"
NPM = "^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*@[0-9][0-9A-Za-z.-]*$"


class Route(Form):
    """A route, by `url`, by `pip` or by `npm`; what comes gzipped is unpacked, if the checksum asks for it."""

    url: list[Address] = key("an address for each file, in order", None, min_length=1, max_length=8)
    pip: Annotated[str, Field(pattern=PIP, title="a package with its version, as in NAME==1.2")] = key(
        "a package that the user's own pip or uv finds, with its version", None
    )
    npm: Annotated[str, Field(pattern=NPM, title="a package with its version, as in NAME@1.2.0")] = key(
        "a package that the user's own npm finds, with its version", None
    )
    files: list[str] = key("the package's file for each file, in their order", None, min_length=1, max_length=8)
    pickle: str = key("instead of them, the package's pickle of pairs of images, in fractions of 256, and labels", None)
    count: int = key("how many images of the pickle are the data set", None, ge=1, le=1_000_000)


class Column(Form):
    """A column of a design."""

    bounds: Bounds = key("of a number, the public least and greatest value; others are clipped", None)
    missing: Number = key("the number that stands for an empty cell; without it there may be none", None)
    shape: list[Size] = key("of images, the numbers of rows and of columns", None, min_length=2, max_length=2)
    levels: Annotated[list[str], Field(min_length=2, max_length=1000), Different] = key(
        "of a category, its public values; the first is the one that no column stands for", None
    )
    other: str = key("the level that every value outside the list becomes; without it there may be none", None)


class Label(Form):
    """The label of a design."""

    column: str = key("the column that it is read from")
    below: float = key("it is 1 for numbers below this one, and else 0", None)
    above: float = key("it is 1 for numbers above this one, and else 0", None)
    bounds: Bounds = key("the public least and greatest of these numbers, which are then what regression is of", None)
    one: Levels = key("the values for which it is 1", None)
    zero: Levels = key("the values for which it is 0; without them all others", None)
    others: Literal["refuse", "drop"] = key("what becomes of rows with neither", "refuse")


class Split(Form):
    """How many rows of a design are for training."""

    train: int = key("the number of rows for training", None, ge=1, le=1_000_000_000)
    share: float = key("the share of rows for training", None, gt=0, lt=1)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError
        return self


KIND = Annotated[Annotated[Literal["number", "category"], TEXT] | Annotated[Column, MAPPING], BY_KIND]


class DataSet(Form):
    """One file of config/datasets."""

    title: str = key("what it is, in one line")
    source: str = key("where it is from, and under what licence")
    public: Public = key(
        "who answers for it that every bound, level and column in this file is public whatever the rows are, and since "
        "when, which a design needs",
        None,
    )
    file: Annotated[Annotated[Path, TEXT] | Annotated[Files, LIST], BY_KIND] = key(
        "its file, as a path from the project's folder, or its files: CSV, plain or gzip, one below the other, or "
        "images and labels"
    )
    sha256: Annotated[Annotated[Checksum, TEXT] | Annotated[Checksums, LIST], BY_KIND] = key(
        "the checksum of that very file, or one of each", None
    )
    fetch: Annotated[list[Route], Field(min_length=1, max_length=8)] = key(
        "where the files can be had, tried in this order; rows that can be had so are public", None
    )
    format: Literal["csv", "idx"] = key("`idx` is a file of images and one of their labels", "csv")
    delimiter: str = key("the character between two fields", ",", pattern='^[^"\r\n]$', title="one character")
    names: Annotated[list[str], Different] = key("all columns in order, where there is no header", None, min_length=1)
    comment: str = key("with what lines begin that are no rows", None, pattern="^[!-~]$", title="one character")
    columns: dict[str, KIND] = key(
        "the columns that are read, each with its kind; those of a design with public bounds or levels", min_length=1
    )
    label: Label = key("the label of a design, 1 for the values `one`, or for numbers `below` or `above` one", None)
    split: Annotated[Annotated[Literal["own"], TEXT] | Annotated[Split, MAPPING], BY_KIND] = key(
        "the rows of a design for training: so many or a share, at random, or with `own` those of the first file", None
    )
