"""What the run took, and what each experiment would take alone, with the fits and sweeps that it shares with others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reproduction import project
from reproduction.report.tree import SHORT, Job, Run, part
from reproduction.report.view import Section, Table

OF_AN_EXPERIMENT = ("table", "show")
COLUMNS = ("Experiment", *OF_AN_EXPERIMENT, "fits and sweeps", "shared inputs", "alone", "peak MB")


def cost(run: Run) -> Section:
    """Wall seconds and memory by experiment and stage."""
    if not run.jobs:
        words = "No benchmarks are among these results, so seconds and memory are not told."
        return Section("cost", "Cost", (words,))
    rows = [_row(run, e) for e in run.experiments]
    others = dict.fromkeys(job.stage for job in run.jobs if not job.experiment)
    for stage in others:
        jobs = [job for job in run.jobs if not job.experiment and job.stage == stage]
        rows.append((f"({stage})", *[""] * (len(OF_AN_EXPERIMENT) + 1), seconds(jobs), seconds(jobs), memory(jobs)))
    words = (
        "Wall seconds of the jobs as the engine measured them, each on one core, so that more cores make a run shorter "
        f"than their sum. Memory is sampled, and left out for jobs under {SHORT:.0f} s. Shared inputs are jobs that "
        "several experiments rest on: event logs that are read and counted, designs, and sweeps drawn for another "
        "experiment. They are in the seconds of each that would need them alone, and once in the total of "
        f"{seconds(run.jobs)} s. The last rows serve several experiments or all."
    )
    total = (
        "all, each job once",
        *(seconds(_of(run.jobs, stage)) for stage in OF_AN_EXPERIMENT),
        seconds(job for job in run.jobs if job.experiment and job.stage not in OF_AN_EXPERIMENT),
        seconds(job for job in run.jobs if not job.experiment),
        seconds(run.jobs),
        memory(run.jobs),
    )
    table = Table("Seconds by experiment, and peak memory", COLUMNS, tuple(rows), total, numbers=True)
    return Section("cost", "Cost", (words,), folded=((f"{len(run.experiments)} experiments", table),))


def spent(run: Run, e: project.Experiment) -> str:
    """What it took, in a sentence."""
    own, shared = own_jobs(run, e), shared_jobs(run, e)
    computed = run.provenance.get(e.id, {}).get("seconds")
    if run.jobs and not own and isinstance(computed, float):
        return f"Its table took {computed:.1f} s, in a job that it shares with others."
    if not own:
        return "Its benchmarks are missing, so its seconds and memory are not told."
    jobs = [*own, *shared]
    peak = f", with {memory(jobs)} MB at the peak" if memory(jobs) else ""
    more = f", {seconds(shared)} s of them for inputs that it shares with others" if shared else ""
    return f"It took {seconds(jobs)} s on one core{more}{peak}."


def own_jobs(run: Run, e: project.Experiment) -> list[Job]:
    """The jobs that are made for it by name."""
    return [job for job in run.jobs if job.experiment == e.id]


def shared_jobs(run: Run, e: project.Experiment) -> list[Job]:
    """Jobs that its table rests on and that serve others too: of its logs and data sets, and sweeps of its stream."""
    parameters = part(run.provenance.get(e.id, {}), "parameters") or e.parameters
    named = {key: _names(parameters.get(key)) for key in ("log", "logs", "dataset", "datasets")}
    logs, datasets = {*named["log"], *named["logs"]}, {*named["dataset"], *named["datasets"]}
    rows = f"{parameters.get('rows', 1):g}" if isinstance(parameters.get("rows", 1), int | float) else ""
    found = []
    swept = any(job.stage == "sweeps" for job in own_jobs(run, e))
    for job in run.jobs:
        of_log = job.log in {*logs, *(f"{log}-{rows}" for log in logs)} and not job.experiment
        of_data = job.dataset in datasets and not job.experiment and e.needs in {"designs", "sweeps"}
        lent = e.needs == "sweeps" and not swept and job.stage == "sweeps"
        lent = lent and job.experiment == e.stream_name != e.id and job.dataset in datasets
        if (of_log and e.needs in {"counts", "scores"}) or of_data or lent:
            found.append(job)
    return found


def seconds(jobs: Iterable[Job]) -> str:
    """The jobs' wall seconds together; nothing where there is no job."""
    listed = list(jobs)
    return f"{sum(job.seconds for job in listed):.1f}" if listed else ""


def memory(jobs: Sequence[Job]) -> str:
    """The largest memory among the jobs; nothing where it was not sampled."""
    sampled = [job.memory for job in jobs if job.memory is not None]
    return f"{max(sampled):.0f}" if sampled else ""


def _row(run: Run, e: project.Experiment) -> tuple[str, ...]:
    own, shared = own_jobs(run, e), shared_jobs(run, e)
    fits = seconds(job for job in own if job.stage not in OF_AN_EXPERIMENT)
    jobs = [*own, *shared]
    return (e.id, *(seconds(_of(own, s)) for s in OF_AN_EXPERIMENT), fits, seconds(shared), seconds(jobs), memory(jobs))


def _of(jobs: Iterable[Job], stage: str) -> list[Job]:
    return [job for job in jobs if job.stage == stage]


def _names(value: object) -> list[str]:
    return [name for name in (value if isinstance(value, list) else [value]) if isinstance(name, str)]
