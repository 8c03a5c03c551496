"""What config/config.yaml, the overlays laid over it, and the files of config/experiments may say."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from dpsampling.schemas.checking import BY_KIND, LIST, TEXT, AsWritten, Different, Form, PathOrPaths, Whole, key

Seed = Annotated[int, Field(ge=0, le=2**64 - 1), Whole]
Order = Annotated[float, Field(gt=1, le=1000), AsWritten]
Orders = Annotated[list[Order], Field(min_length=1, max_length=50), Different]
Epsilon = Annotated[float, Field(ge=1e-4, le=100), AsWritten]
Epsilons = Annotated[list[Epsilon], Field(min_length=1, max_length=50), Different]
Delta = Annotated[float, Field(ge=1e-30, lt=1), AsWritten]
Draws = Annotated[int, Field(ge=100, le=10_000_000), Whole]
Names = Annotated[list[str], Field(min_length=1, max_length=1000)]
AllOrNames = Annotated[Annotated[Literal["all"], TEXT] | Annotated[Names, LIST], BY_KIND]
SEED: TypeAdapter[int] = TypeAdapter(Seed, config=Form.model_config)


class QuickAudit(Form):
    """What the audit is asked for at quick scale."""

    orders: Orders = key("Rényi orders λ at which each mechanism is priced", None)
    epsilons: Epsilons = key("levels ε that each mechanism is calibrated for", None)
    delta: Delta = key("δ at which each mechanism is attacked", None)
    draws: Draws = key("draws from each of the two worlds that judge an event", None)


class Audit(Form):
    """What the audit is asked for."""

    orders: Orders = key("Rényi orders λ at which each mechanism is priced")
    epsilons: Epsilons = key("levels ε that each mechanism is calibrated for")
    delta: Delta = key("δ at which each mechanism is attacked")
    draws: Draws = key(
        "draws from each of the two worlds that judge an event, 10⁷ in hours; 3/10 as many more choose it"
    )
    mechanisms: AllOrNames = key("which mechanisms are looked at, `all` or a list of names of the registry", None)
    quick: QuickAudit = key("what is asked for at quick scale instead, where no overlay changes the entry above", None)


class Config(Form):
    """config/config.yaml, with what is laid over it."""

    seed: Seed = key("names every random stream, together with the experiment and the point")
    scale: Literal["paper", "quick"] = key("which parameters `all` uses; `quick` writes to results/quick/")
    run: AllOrNames = key("what `all` makes, either `all` or a list of experiment and chapter names")
    audit: Audit = key("what the audit of the mechanisms asks them for, and how hard it tries")
    experiments: dict[str, dict[str, Any]] = key("parameters that differ from an experiment's own file, by experiment")
    logs: dict[str, PathOrPaths] = key(
        "raw files of event logs, by the name of the log in config/logs: a path, a pattern such as "
        "`data/2023-*.csv.gz`, or a list of these; a log without one is simulated"
    )


class ExperimentFile(Form):
    """One file of config/experiments."""

    title: str = key("what the experiment shows, in one line")
    source: str = key("where it stands in the source; the claims about the figure itself bear it")
    like: str = key("an experiment that this one is a variant of; what is not said here is said there", None)
    part: str = key("the part of the project that it belongs to, one of config/parts.yaml", None)
    code: str = key("a folder or a module of src/dpsampling/experiments, such as renyi.tradeoff", None)
    needs: Literal["counts", "scores", "dataset", "designs", "sweeps"] = key(
        "what its table is made from besides its parameters", None
    )
    stream: str = key("the name of its random stream, if it shares one; its own id otherwise", None)
    published: list[str] = key("files of data/published that its figure and its claims read", None)
    parameters: dict[str, Any] = key("its parameters at paper scale", None)
    quick: dict[str, Any] = key("the parameters that are smaller at quick scale", None)
    smallest: dict[str, Any] = key("the parameters of a run of about a second, for tests", None)
