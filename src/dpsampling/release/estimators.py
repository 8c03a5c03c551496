"""Releases as estimators in scikit-learn's manner: parameters in, `fit`, attributes with a trailing underscore.

    from dpsampling.release import PrivateProportion
    asked = PrivateProportion(epsilon=1, unit="respondent").fit("survey.csv", column="vaccinated", yes="yes", no="no")
    asked.share_, asked.interval_, asked.guarantee_

A constructor keeps what it is given and computes nothing. `epsilon` and `unit` have no default: how much may be learnt
of whom is for nobody else to say. Every call of `fit` draws new noise and costs ε again; what is computed of a fitted
estimator costs nothing. Without `budget` or `ledger` nothing is written anywhere, and nobody adds up what several
releases of the same rows cost together. scikit-learn is not needed, though its `clone` works.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Integers
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.ledger import Ledger
from dpsampling.release import contents, inference_data, pages, proportion, question, table, verifying
from dpsampling.release.estimator import CALLER, PrivateEstimator, Schema
from dpsampling.release.names import RELEASE
from dpsampling.release.priors import Beta, positive


@dataclass(eq=False, repr=False)
class PrivateProportion(PrivateEstimator):
    """Which share of rows say yes.

    After `fit`: `share_` and `interval_`, among all that the rows are drawn from where each row is a unit, and else in
    the data; `intervals_` of both; `guarantee_`, `results_`, `release_`. Calling `fit` again costs ε again.

    Args:
        epsilon: the level of one release, from 1e-9 on.
        unit: who is protected, such as "respondent"; each row is one unless `identifier` is given.
        identifier: the column that says whose a row is; it goes with `most`.
        most: how many rows of a unit are kept, with `identifier`; 1, or more by noisy-counts and noisy-count alone.
        prior: what is believed of the share beforehand, with a and b from 0.001 to 1e9; None is Beta(1, 1).
        mechanism: a name of `dpsampling release choose`; None is noise on counts of yes and no, or of yes if `records`.
        records: how many rows there are, if that is public, from 1 to 10⁹; every mechanism but noisy-counts needs it.
        delta: δ of gaussian, direct, diffused and concentrated, above 0 and below 1; no other mechanism takes it.
        truncation: the least share that ops draws, above 0 and below 0.5; None is 0.05, and no other takes it.
        level: how often an interval holds the truth, from 0.5 to 0.999.
        budget: what all releases of these rows may cost together, ε above 0 or a guarantee; None keeps no account.
        ledger: its file, by default beside the rows', or a `Ledger` in the budget's stead, charged as `ledger_`.
        quantum: `fit` returns at a multiple of so many seconds, above 0.

    >>> rows = pd.DataFrame({"vaccinated": ["yes"] * 60 + ["no"] * 40})
    >>> asked = PrivateProportion(epsilon=1, unit="respondent", quantum=0.05)
    >>> asked = asked.fit(rows, column="vaccinated", yes="yes", no="no")
    >>> 0 < asked.share_ < 1
    True
    >>> print(asked.guarantee_)
    1-DP (replace one record)
    """

    kind = "proportion"
    epsilon: float
    _: KW_ONLY
    unit: str
    identifier: str | None = None
    most: int | None = None
    prior: Beta | None = None
    mechanism: str | None = None
    records: int | None = None
    delta: float | None = None
    truncation: float | None = None
    level: float = 0.9
    budget: float | Pure | Approximate | None = None
    ledger: str | PathLike[str] | Ledger | None = None
    quantum: float = 1.0

    share_: float = field(init=False)
    interval_: tuple[float, float] = field(init=False)
    intervals_: dict[str, tuple[float, float]] = field(init=False)

    def fit(
        self,
        rows: Any,
        column: str,
        yes: str | Sequence[str],
        no: str | Sequence[str],
        *,
        encoding: str = "utf-8",
        delimiter: str = ",",
    ) -> Self:
        """Release the share of yes among yes and no in a column. Costs ε.

        Args:
            rows: the path of a CSV or Parquet file, or a frame of pandas, polars or pyarrow.
            column: the name of the column with the answers.
            yes: the text or texts that mean yes, in whatever case.
            no: the text or texts that mean no, none of them also a yes; without `records`, others are left out.
            encoding, delimiter: those of a CSV file; a delimiter is one character.
        """
        described = question.described(
            column, _texts(yes), _texts(no), self._unit(), by=CALLER, encoding=encoding, delimiter=delimiter
        )
        if not isinstance(self.prior, Beta | None):
            raise InputError(f"prior is {self.prior!r}; give it as in Beta(2, 5).")
        prior = Beta(1, 1) if self.prior is None else self.prior
        epsilon, level = self._epsilon(), self._level()
        delta, truncation = (
            None if value is None else positive(name, value)
            for name, value in (("delta", self.delta), ("truncation", self.truncation))
        )
        return self._released(
            rows,
            lambda source: proportion.prepare(
                described,
                source,
                epsilon=epsilon,
                level=level,
                mechanism=self.mechanism,
                records=self.records,
                prior=(prior.a, prior.b),
                delta=delta,
                truncation=truncation,
            ),
        )

    def _show(self) -> None:
        parts = (proportion.DATA, proportion.POPULATION)
        told = {part: self.results_[part] for part in parts if self.results_[part] is not None}
        self.intervals_ = {part: (found["low"], found["high"]) for part, found in told.items()}
        widest = list(told)[-1]
        self.share_, self.interval_ = told[widest]["estimate"], self.intervals_[widest]


@dataclass(eq=False, repr=False)
class PrivateTable(PrivateEstimator):
    """How many rows there are of each combination of outcomes of some columns.

    After `fit`: `table_`, a pandas frame by combinations of outcomes, with the noisy count, an estimate (no less than
    0) and both ends of its interval; `intervals_`, all lower and all upper ends, an axis for each column;
    `guarantee_`, `results_`, `release_`. Calling `fit` again costs ε again.

    Args:
        columns: what rows are counted by: features or their columns, region, month; each once, 10⁶ cells at most.
        epsilon, unit, identifier, most, level, budget, ledger, quantum: those of `PrivateProportion`.

    >>> public = {
    ...     "title": "Falls",
    ...     "public": {"by": "the register", "on": "2024-05-31"},
    ...     "features": {"ward": {"column": "Ward", "outcomes": ["north", "south"]}},
    ... }
    >>> rows = pd.DataFrame({"Ward": ["north"] * 60 + ["south"] * 40})
    >>> falls = PrivateTable(epsilon=1, columns=["Ward"], unit="row", quantum=0.05).fit(rows, public)
    >>> list(falls.table_.index)
    [('north',), ('south',), ('other',)]
    >>> list(falls.table_.columns)
    ['count', 'estimate', 'low', 'high']
    """

    kind = "table"
    epsilon: float
    columns: Sequence[str]
    _: KW_ONLY
    unit: str
    identifier: str | None = None
    most: int | None = None
    level: float = 0.9
    budget: float | Pure | Approximate | None = None
    ledger: str | PathLike[str] | Ledger | None = None
    quantum: float = 1.0

    table_: pd.DataFrame = field(init=False)
    intervals_: tuple[Integers, Integers] = field(init=False)

    def fit(self, rows: Any, schema: Schema) -> Self:
        """Release how many rows have each combination of outcomes. Costs ε.

        Args:
            rows: the path of a CSV or Parquet file, or a frame of pandas, polars or pyarrow.
            schema: what is public of the rows, every outcome declared: a YAML file's path, or a mapping that says so.
        """
        if isinstance(self.columns, str) or not all(isinstance(name, str) for name in self.columns):
            raise InputError(f"columns is {self.columns!r}; give a list of columns' names.")
        described = self._described(schema, events=False)
        epsilon, level, columns = self._epsilon(), self._level(), list(self.columns)
        return self._released(
            rows, lambda source: table.prepare(described, source, columns=columns, epsilon=epsilon, level=level)
        )

    def _show(self) -> None:
        outcomes, cells = self.release_.declared["outcomes"], self.results_["cells"]
        shape = self.release_.numbers.shape
        index = pd.MultiIndex.from_product(list(outcomes.values()), names=list(outcomes))
        told = {"count": self.release_.numbers.integers.ravel().tolist()}
        told |= {name: cells[name] for name in ("estimate", "low", "high")}
        self.table_ = pd.DataFrame(told, index=index)
        low, high = (np.array(cells[name]).reshape(shape) for name in ("low", "high"))
        self.intervals_ = low, high


@dataclass(eq=False, repr=False)
class PrivateHMM(PrivateEstimator):
    """A hidden Markov model of events by region and month: its states, what happens in them, and where each was when.

    After `fit`, states numbered from 1: `transition_` (from, to) and `start_`; `emissions_`, a pandas frame of states
    and outcomes; `states_`, the likeliest state by region and month, and `probabilities_` (region, month, state);
    `intervals_`, of each the lower and upper ends, in which the noise is allowed for; `n_states_`, `guarantee_`,
    `results_`, `release_`. Calling `fit` again costs ε again; `another` model of the same noisy counts costs nothing.

    Args:
        states: how many states, from 1 to 100, or "best" for as many as the noisy counts tell of.
        epsilon: the level of the noisy counts, above 0.
        up_to: the most states that "best" tries, from 1 to 100.
        level: how often an interval holds the truth, above 0 and below 1.
        unit, identifier, most, budget, ledger, quantum: those of `PrivateProportion`.
    """

    kind = "hmm"
    states: int | str
    epsilon: float
    _: KW_ONLY
    unit: str
    identifier: str | None = None
    most: int | None = None
    up_to: int = 6
    level: float = 0.9
    budget: float | Pure | Approximate | None = None
    ledger: str | PathLike[str] | Ledger | None = None
    quantum: float = 5.0

    n_states_: int = field(init=False)
    transition_: Array = field(init=False)
    start_: Array = field(init=False)
    emissions_: pd.DataFrame = field(init=False)
    states_: pd.DataFrame = field(init=False)
    probabilities_: Array = field(init=False)
    intervals_: dict[str, tuple[Any, Any]] = field(init=False)

    def fit(self, rows: Any, schema: Schema) -> Self:
        """Release a model of the rows. Costs ε.

        Args:
            rows: the path of a CSV or Parquet file, or a frame of pandas, polars or pyarrow.
            schema: what is public of the rows, regions, months and outcomes declared: a YAML file's path, or a mapping.
        """
        described = self._described(schema, events=True)
        epsilon, level = self._epsilon(), self._level()
        module = _module(self.kind)
        module.asked(self.states, self.up_to, level)
        module.compile_chains()  # which takes no part of the time that is public
        return self._released(
            rows,
            lambda source: module.prepare(
                described, source, epsilon=epsilon, level=level, states=self.states, up_to=self.up_to
            ),
        )

    def another(self, states: int | str, *, up_to: int | None = None, level: float | None = None) -> PrivateHMM:
        """Return another model of the same noisy counts: fitted, and it cost nothing.

        Args:
            states: how many states, from 1 to 100, or "best".
            up_to: the most states that "best" tries; None is as here.
            level: that of the intervals; None is as here.
        """
        release = self._fitted()
        made = PrivateHMM(**{**self.get_params(), "states": states})
        made.set_params(up_to=self.up_to if up_to is None else up_to, level=self.level if level is None else level)
        content = pages.texts(release, self.results_)[RELEASE].encode()
        digest = hashlib.sha256(content).hexdigest()
        told = _module(self.kind).remodelled(release, digest, states=states, up_to=made.up_to, level=made._level())
        return made._take(told)

    def to_inference_data(self) -> Any:
        """Draws of the posterior of the noisy counts, for ArviZ; they are computed again, and cost nothing."""
        release = self._fitted()
        groups = _module("hmm_draws").groups(release, self.results_)
        return inference_data.made_of(groups)

    def _show(self) -> None:
        told, declared = self.results_, self.release_.declared
        numbers = pd.RangeIndex(1, told["states"] + 1, name="state")
        places = [(feature["name"], outcome) for feature in declared["features"] for outcome in feature["outcomes"]]
        columns = pd.MultiIndex.from_tuples(places, names=["feature", "outcome"])

        def frame(part: str) -> pd.DataFrame:
            return pd.DataFrame(told["emissions"][part], index=numbers, columns=columns)

        def ends(name: str) -> tuple[Array, Array]:
            return np.array(told[name]["low"]), np.array(told[name]["high"])

        self.n_states_ = told["states"]
        self.transition_ = np.array(told["transitions"]["mean"])
        self.start_ = np.array(told["start"]["mean"])
        self.emissions_ = frame("mean")
        self.states_ = pd.DataFrame(told["state_of_cell"], index=declared["regions"], columns=declared["months"])
        self.probabilities_ = np.array(told["probability_of_state"])
        self.intervals_ = {
            "transition": ends("transitions"),
            "start": ends("start"),
            "emissions": (frame("low"), frame("high")),
        }


ESTIMATORS: dict[str, type[PrivateEstimator]] = {
    made.kind: made for made in (PrivateProportion, PrivateTable, PrivateHMM)
}


def load(folder: str | PathLike[str]) -> PrivateEstimator:
    """Return the fitted estimator of a release; it costs nothing.

    Args:
        folder: a folder that `save` or `dpsampling release` wrote.
    """
    path = Path(folder)
    verifying.explained(path)  # an InputError where a release says what cannot be so
    release, document, _ = contents.read(path)
    kind = ESTIMATORS[release.kind]
    made = kind.__new__(kind)
    g, mechanism = release.guarantee, release.mechanism
    known = {**release.settings, "epsilon": g.epsilon, "unit": release.unit.name, "mechanism": mechanism["name"]}
    if isinstance(g, Approximate):
        known["delta"] = g.delta
    if release.identified:
        known["most"] = release.unit.most
    if "records" in mechanism:
        known["records"] = mechanism["records"]
    if release.kind == PrivateTable.kind:
        known["columns"] = list(release.declared["columns"])
    if "prior" in known:
        known["prior"] = Beta(*known["prior"])
    for name, parameter in inspect.signature(kind.__init__).parameters.items():
        if name != "self":
            default = None if parameter.default is inspect.Parameter.empty else parameter.default
            setattr(made, name, known.get(name, default))
    return made._take(release, document["results"])


def _module(name: str) -> Any:
    """A module of this room that loads what is heavy, when it is needed."""
    return importlib.import_module(f"dpsampling.release.{name}")


def _texts(told: str | Sequence[str]) -> Sequence[str]:
    return [told] if isinstance(told, str) or not isinstance(told, Sequence) else told
