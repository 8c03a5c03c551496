"""What the files of config/logs, and schemas of one's own event logs, and the files of config/simulators may say."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dpsampling.files.checking import BY_KIND, LIST, MAPPING, TEXT, Different, Form, PathOrPaths, Public, key

Texts = Annotated[list[str], Field(min_length=1)]
Count = Annotated[int, Field(ge=0, le=1_000_000_000)]
Share = Annotated[float, Field(ge=0, le=1)]
Factor = Annotated[float, Field(ge=1e-6, le=1_000_000)]


class Unit(Form):
    """Who is protected: all rows of one unit together."""

    name: str = key("what a unit is called, such as patient")
    column: str = key("the column that says which unit a row is about, read and not kept; without it `most` is 1", "")
    most: int = key("how many rows of a unit are kept, drawn at random; noise is this much larger", ge=1, le=1_000_000)


class Time(Form):
    """When an entry happened, and which months are kept."""

    column: str = key("the column with the time")
    format: Annotated[Annotated[str, TEXT] | Annotated[Texts, LIST], BY_KIND] = key(
        "how times are written, in the letters of Python's strptime; of several, the first that understands one decides"
    )
    first: str = key("the first month, as in 2004-01", alias="from")
    to: str = key("the last month")
    drop: list[str] = key("months that are left out", [])


class Region(Form):
    """Where an entry happened, and which regions are kept."""

    column: str = key("the column with the region")
    keep: Texts = key("the regions, one chain each")
    drop: list[str] = key("regions that are known and left out", [])


class Feature(Form):
    """A feature, either a column with one of several outcomes or an indicator over columns of counts."""

    title: str = key("the feature's name in figures", "")
    column: str = key("the column with one of several values", "")
    outcomes: Texts = key("the public values of that column; any other value becomes the outcome `other`", [])
    fold: dict[str, str] = key("other spellings of an outcome; case and white space are the same anyway", {})
    counts: dict[str, Count] = key("what texts mean in columns of counts; case and white space are the same anyway", {})
    any_positive: Texts = key("columns of counts; the feature is `some` if any of them is above 0, and else `none`", [])


class Log(Form):
    """One file of config/logs, what is public about a log of events."""

    title: str = key("the log's name in figures")
    public: Public = key(
        "who answers for it that every region, outcome and month in this file is public whatever the rows are, and "
        "since when; a draft says `no`, and nothing is read with it",
        None,
    )
    unit: Annotated[Annotated[Literal["row"], TEXT] | Annotated[Unit, MAPPING], BY_KIND] = key(
        "who is protected, each row by itself (`row`) or all rows of one unit together"
    )
    like: str = key("another log of config/logs over which this file is laid, but for what it says of `public`", "")
    file: PathOrPaths = key(
        "the files with the rows (CSV, plain or packed with gzip or zstd, or Parquet), by a path, a pattern such as "
        "`data/2023-*.csv.gz`, or a list of these; without it the log is that of its published counts, or simulated",
        [],
    )
    published: str = key(
        "the table of data/published with exact counts that stands in when there is no file; it protects nobody",
        "",
        pattern="^[A-Za-z0-9][A-Za-z0-9_.-]*[.]csv$",
        title="the name of a CSV file",
    )
    simulator: str = key("the file of config/simulators that stands in when there is neither file nor table", "")
    encoding: str = key("the file's text encoding", "utf-8")
    delimiter: str = key("the character between two fields", ",")
    header: bool = key("whether the first line names the columns", True)
    columns: Texts = key("the names of all columns in their order; needed where there is no header", [])
    most_outside: Share = key(
        "the largest share of rows that may be outside the period and the regions, besides the regions and months to "
        "be dropped; with 1 nothing is refused for what is in the rows",
        0.5,
    )
    most_unread: Share = key(
        "the largest share of rows that may be beyond understanding (a time in none of the formats, a count that is "
        "none, too few or too many fields); with 1 nothing is refused for what is in the rows",
        0.02,
    )
    time: Time | None = key("when an entry happened, and which months are kept", None)
    region: Region | None = key("where an entry happened, and which regions are kept", None)
    features: dict[str, Feature] = key("the features of an entry, by name", min_length=1)


Entries = Annotated[list[Annotated[float, Field(ge=0, le=1_000_000)]], Field(max_length=1000)]
Begins = Annotated[dict[str, Annotated[int, Field(ge=1, le=100)]], Field(min_length=1)]
Spellings = dict[str, dict[str, Annotated[float, Field(ge=1e-9, le=1)]]]
Percentages = Annotated[list[Annotated[float, Field(ge=0, le=100_000_000)]], Field(min_length=1, max_length=100)]
Events = Annotated[dict[str, Percentages], Field(min_length=1)]


class Rows(Form):
    """The expected number of entries by month and region."""

    regions: Annotated[list[str], Different] = key("the regions, kept and dropped", min_length=1, max_length=1000)
    months: dict[str, Entries] = key("by month, the expected entries of each region", min_length=2)


class State(Form):
    """A planted state."""

    title: str = key("the state in a few words")
    types: dict[str, Factor] = key("factors by which types are more frequent in this state than in others", {})
    categories: dict[str, Factor] = key("the same for categories", {})


class Indicator(Form):
    """An indicator of casualties."""

    persons: float = key("the mean number of persons where there are any", ge=1, le=1_000_000)
    columns: dict[str, Factor] = key("the columns that can hold them, with how often each does", min_length=1)


class OtherSpellings(Form):
    """Other spellings with the share of entries that have them."""

    type: Spellings = key("by type, its other spellings", {})
    category: Spellings = key("by category, its other spellings", {})


class Simulator(Form):
    """One file of config/simulators, a log's planted states and what its entries are like."""

    title: str = key("what is simulated, in one line")
    concentration: Annotated[float, Field(ge=1e-6, le=1_000_000_000)] = key(
        "of the Dirichlet distribution of a cell's events around those of its state; lower makes cells differ more"
    )
    jitter: int = key("months by which a planned change of state comes early or late at most", ge=0, le=1200)
    rows: Rows = key("the expected number of entries by month and region")
    states: list[State] = key("the planted states; the first is state 1", min_length=1, max_length=100)
    paths: dict[str, Begins] = key("by region, the months in which a state begins")
    indicators: dict[str, Indicator] = key("the indicators of casualties")
    events: dict[str, Events] = key(
        "by type and category, the number of entries in the published log and, for each indicator, the percentage of "
        "them that have it",
        min_length=1,
    )
    spellings: OtherSpellings = key("for type and category, other spellings and the share of entries with them", {})
    constants: dict[str, str] = key("columns with the same text in every entry", {})
