"""What all estimators of releases share: parameters that are kept as given, payment, a public time, and the folder."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

from dpsampling.errors import InputError, did_you_mean
from dpsampling.event_logs import schema as schemas
from dpsampling.event_logs.schema import LogSchema
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.ledger import Ledger
from dpsampling.release import pages, payment, publish
from dpsampling.release.clock import Clock
from dpsampling.release.contents import Release
from dpsampling.release.names import WORDS
from dpsampling.release.priors import positive
from dpsampling.release.publish import Prepared

CALLER = "whoever called fit"
Schema = str | PathLike[str] | Mapping[str, Any] | LogSchema
_ANY = {"any": {"column": "any", "outcomes": ["any"]}}


class PrivateEstimator(ABC):
    """What all three share: parameters, payment, a public time, and the folder that may be published."""

    kind: ClassVar[str]
    epsilon: Any
    unit: Any
    identifier: Any
    most: Any
    budget: Any
    ledger: Any
    level: Any
    quantum: Any

    release_: Release
    guarantee_: Pure | Approximate
    ledger_: Ledger  # after the release, where `ledger` is one in memory
    results_: dict[str, Any]

    # -- parameters ---------------------------------------------------------------------------------------------------

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given."""
        del deep  # no parameter is an estimator
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Self:
        """Other parameters for the next `fit`."""
        for name, value in params.items():
            if name not in self._names():
                hint = did_you_mean(name, self._names())
                known = ", ".join(self._names())
                raise InputError(f"{type(self).__name__} has no parameter '{name}'{hint}; it has {known}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        said = [f"{k}={v!r}" for k, v in self.get_params().items() if v is not defaults[k].default]
        return f"{type(self).__name__}({', '.join(said)})"

    # -- fitting ------------------------------------------------------------------------------------------------------

    def _released(self, rows: Any, prepare: Callable[[Any], Prepared]) -> Self:
        """Charge, draw, wait for the public time, and take the release over."""
        pays = payment.purse(rows, self._total(), self.ledger)
        source = Path(rows) if isinstance(rows, str | PathLike) else rows
        quantum = positive("quantum", self.quantum)
        try:
            return self._take(publish.answered(lambda: prepare(source), pays, quantum))
        finally:  # what was charged is spent, also where the rest failed
            if isinstance(pays, payment.InMemory):
                self.ledger_ = pays.ledger

    def _total(self) -> payment.Total | None:
        if self.budget is None or isinstance(self.budget, Pure | Approximate):
            return self.budget
        return Pure(positive("budget", self.budget))

    def _take(self, release: Release, results: dict[str, Any] | None = None) -> Self:
        """All attributes are of the release, whose results are computed if they are not at hand."""
        self.release_ = release
        self.guarantee_ = release.guarantee
        self.results_ = pages.computed(release) if results is None else results
        self._show()
        return self

    @abstractmethod
    def _show(self) -> None:
        """The attributes of this kind, from `release_` and `results_`."""

    def _fitted(self) -> Release:
        if not hasattr(self, "release_"):
            raise InputError(f"this {type(self).__name__} is not fitted; call fit first, which costs ε.")
        return self.release_

    def _unit(self) -> dict[str, Any]:
        """The unit as a description says it."""
        if not isinstance(self.unit, str) or not self.unit.strip():
            raise InputError(f"unit is {self.unit!r}; name who is protected, such as 'patient', or 'row'.")
        if (self.identifier is None) != (self.most is None):
            absent = "identifier" if self.identifier is None else "most"
            raise InputError(
                f"{absent} is missing; identifier names the column that tells the rows of one {self.unit}, and most "
                "says how many are kept."
            )
        if self.identifier is None:
            return {"name": self.unit, "most": 1}
        if not isinstance(self.identifier, str):
            raise InputError(f"identifier is {self.identifier!r}; give the name of a column.")
        most = positive("most", self.most)
        if most % 1:
            raise InputError(f"most is {self.most!r}; a {self.unit} keeps a whole number of rows, from 1 on.")
        return {"name": self.unit, "column": self.identifier, "most": int(most)}

    def _described(self, schema: Schema, *, events: bool) -> LogSchema:
        """Return what is public about the rows; who is protected is said in one way."""
        unit = self._unit()
        if isinstance(schema, str | PathLike):
            found = schemas.load(str(schema), events=events, unit=unit)
        elif isinstance(schema, Mapping):
            said = {"unit": unit} if schema.get("unit") is None else {}
            found = schemas.parse({**schema, **said}, "given", events=events)
        elif isinstance(schema, LogSchema):
            found = schema
        else:
            raise InputError(f"schema is a {type(schema).__name__}; give a YAML file's path or what it would say.")
        same = schemas.parse(
            {"title": "", "public": {"by": CALLER, "on": "2000-01-01"}, "unit": unit, "features": _ANY}, "unit",
            events=False,
        )  # fmt: skip
        if (found.unit, found.unit_column) != (same.unit, same.unit_column):
            raise InputError(
                f"unit is {_unit_description(same)}, and in the schema {_unit_description(found)}; who is protected is "
                "said in one way, change either."
            )
        return found

    def _epsilon(self) -> float:
        return positive("epsilon", self.epsilon)

    def _level(self) -> float:
        level = positive("level", self.level)
        if level >= 1:
            raise InputError(f"level is {self.level!r}; an interval holds the truth with a probability below 1.")
        return level

    # -- what was released --------------------------------------------------------------------------------------------

    def card(self) -> str:
        """The release in plain words, as CARD.md has them."""
        return pages.texts(self._fitted(), self.results_)[WORDS]

    def save(self, folder: str | PathLike[str]) -> Path:
        """Write the folder that the command writes: all in it may be published. It costs nothing."""
        release = self._fitted()
        out = Path(folder)
        publish.written(out, Clock(0.0), lambda: release, self.results_)
        return out


def _unit_description(schema: LogSchema) -> str:
    column = "" if schema.unit_column is None else f" in column '{schema.unit_column}', {schema.unit.most} rows each"
    return f"'{schema.unit.name}'{column}"
