"""The workflow on SLURM: the same bytes as on one machine, jobs cancelled with the run, a stopped run resumed.

A real SLURM of two nodes is brought up on this machine for it; see local_slurm.py. The runs work on copies of the
project, so that they neither read nor change the results of the checkout.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from cluster.local_slurm import Cluster, UnavailableError, dies_with_its_parent, local_slurm, tail, wait_until
from dpsampling.event_logs import counts
from logs_in_files import MANY, ONE, planted
from reproduction.collect import result_files

pytestmark = pytest.mark.cluster

PROJECT = Path(__file__).parents[2]
QUICK = Path("results", "quick")
LOCALLY = ("--workflow-profile", "workflow/profiles/default", "--cores", "2")
# The profile as a lab uses it, but asking for the jobs' states early: these jobs take seconds, not minutes.
ON_SLURM = ("--workflow-profile", "workflow/profiles/slurm", "--slurm-init-seconds-before-status-checks", "4")

RUN_SECONDS = 1800  # for whatever is waited for; a run takes a minute on two idle cores, several on SLURM
WITHOUT_LOGS = ["fig5_1", "fig5_2", "fig5_3", "fig5_4", "fig5_7", "fig5_8"]  # a job waits for none of another one
# An experiment or two for every rule: what a rule does on a cluster is the same for all that it serves.
CHOSEN = [*WITHOUT_LOGS, "fig4_6", "fig4_7", "public_mechanisms", "glm_error", "glm_splits"]
OVERLAY = f"""
run: [{", ".join(CHOSEN)}]
audit: {{draws: 2000, orders: [2], epsilons: [1], mechanisms: [diffused, secret-sample]}}
"""
OF_FILES = {"part"}  # rules of logs in several files, which have a test of their own
OF_DATA = {"design", "sweep"}  # rules that have nothing to do where data sets are nowhere
WITH_OVERLAY = ("--configfile", "overlay.yaml", "--config", "scale=quick")
FOR_ALL = {"perturb"}  # which no whole run asks for
RULE = re.compile(r"^rule (\w+):", re.MULTILINE)
SUBMITTED = re.compile(r"with SLURM jobid .*/rule_(\w+)/")
LOCAL = re.compile(r"^localrules: (.*)", re.MULTILINE)
SAME = "the same bytes as on one machine"
# Of these files the content tells times; they are no results.
TELLS_TIMES = ("manifest.json", "report.html", "ro-crate-metadata.json", "logs/", "benchmarks/", "sums/")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with contextlib.ExitStack() as stack:
        try:
            running = stack.enter_context(local_slurm())
        except UnavailableError as reason:
            pytest.skip(f"no SLURM here: {reason}")
        yield running


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's files as they are now, without results, environment and caches."""
    ignored = shutil.ignore_patterns(".*", "results", "build", "dist", "__pycache__", "*.egg-info")
    copy = shutil.copytree(PROJECT, tmp_path_factory.mktemp("snapshot") / "project", ignore=ignored)
    (copy / "overlay.yaml").write_text(OVERLAY, encoding="utf-8")
    return copy


@pytest.fixture
def project(snapshot: Path, tmp_path: Path) -> Path:
    """A copy in which nothing has run."""
    return shutil.copytree(snapshot, tmp_path / "project")


@pytest.fixture(scope="module")
def local_results(cluster: Cluster, snapshot: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a quick run gives on one machine, without SLURM. (It asks for the cluster to be skipped along with it.)"""
    copy = shutil.copytree(snapshot, tmp_path_factory.mktemp("local") / "project")
    run(copy, *LOCALLY, "all")
    return results(copy)


def test_slurm_gives_the_same_bytes_as_one_machine(cluster, project, local_results):
    run(project, *ON_SLURM, "all", cluster=cluster)

    made = [name for name in CHOSEN if (project / QUICK / "tables" / f"{name}.csv").exists()]  # some need data sets
    assert {*WITHOUT_LOGS, "fig4_6", "fig4_7"} <= set(made)
    used = set(SUBMITTED.findall((project / "run.log").read_text(encoding="utf-8")))
    assert used == rules_of_the_cluster(project) - OF_FILES - FOR_ALL - (set() if made == CHOSEN else OF_DATA)
    promised = {str(path.relative_to(project / QUICK)) for path in result_files(project / QUICK, made)}
    assert len(promised) > 6 * len(made)
    assert promised <= local_results.keys()
    assert differences(results(project), local_results) == []
    assert cluster.nodes_used() == {"n1", "n2"}


def test_a_log_of_several_files_is_read_by_a_job_each(cluster, project):
    planted(project, 4)
    many, one = (name.replace("private/", "private/quick/") for name in (MANY, ONE))
    run(project, *ON_SLURM, many, one, cluster=cluster)
    submitted = SUBMITTED.findall((project / "run.log").read_text(encoding="utf-8"))
    assert (submitted.count("part"), submitted.count("counts")) == (4, 2)
    assert counts.load(project / many).counts.tolist() == counts.load(project / one).counts.tolist()


def test_an_interrupted_run_cancels_its_jobs_and_is_resumed_to_the_same_bytes(
    cluster, project, local_results, robustness
):
    chosen = WITHOUT_LOGS
    expected = of(chosen, local_results)

    with robustness("SLURM", "the engine interrupted by Ctrl-C and started again", SAME):
        with started(project, *ON_SLURM, *targets(chosen), cluster=cluster) as process:
            wait_for(process, project, cluster, "two jobs, one running", lambda: two_jobs_one_running(cluster))
            os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
            # The engine ends only when its thread wakes that asks for the jobs' states, and that sleeps ever longer.
            assert process.wait(RUN_SECONDS) != 0, logs(project, cluster)
        wait_until(lambda: not cluster.queue(), RUN_SECONDS, "jobs are left", lambda: logs(project, cluster))
        assert of(chosen, results(project)).keys() < expected.keys()
        run(project, *ON_SLURM, *targets(chosen), cluster=cluster)
        assert differences(of(chosen, results(project)), expected) == []


def test_a_killed_run_is_resumed_to_the_same_bytes_once_its_jobs_are_cancelled(
    cluster, project, local_results, robustness
):
    chosen = WITHOUT_LOGS
    expected = of(chosen, local_results)

    with robustness("SLURM", "the engine killed by SIGKILL and started again", SAME):
        with started(project, *ON_SLURM, *targets(chosen), cluster=cluster) as process:
            wait_for(process, project, cluster, "two jobs, one running", lambda: two_jobs_one_running(cluster))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(RUN_SECONDS)
        told = re.search(r"SLURM run ID: (\S+)", (project / "run.log").read_text(encoding="utf-8"))
        assert told, logs(project, cluster)
        cluster.cancel_named(told[1])
        wait_until(lambda: not cluster.queue(), RUN_SECONDS, "jobs are left", lambda: logs(project, cluster))
        run(project, *ON_SLURM, *targets(chosen), cluster=cluster)
        assert differences(of(chosen, results(project)), expected) == []


@pytest.mark.parametrize("loss", ["cancelled", "killed"])
def test_a_lost_job_is_tried_again(loss, cluster, project, local_results, robustness):
    chosen = WITHOUT_LOGS[:1]
    expected = of(chosen, local_results)

    with robustness("SLURM", f"a running job {loss}", SAME):
        with started(project, *ON_SLURM, *targets(chosen), cluster=cluster) as process:
            lose = cluster.cancel if loss == "cancelled" else cluster.kill_job
            wait_for(process, project, cluster, "a job is lost", lambda: any(map(lose, cluster.running_on())))
            assert process.wait(RUN_SECONDS) == 0, logs(project, cluster)
        assert "Trying to restart job" in (project / "run.log").read_text(encoding="utf-8")
        assert differences(of(chosen, results(project)), expected) == []


def test_the_jobs_of_a_lost_node_are_run_again(cluster, project, local_results, robustness):
    chosen = WITHOUT_LOGS
    expected = of(chosen, local_results)

    with robustness("SLURM", "a node killed while a job runs on it, and brought back", SAME):
        with started(project, *ON_SLURM, *targets(chosen), cluster=cluster) as process:
            wait_for(process, project, cluster, "a job runs", cluster.running_on)
            node = next(iter(cluster.running_on().values()), "n1")
            cluster.kill_node(node)
            try:
                wait_for(
                    process, project, cluster, f"{node} is down", lambda: cluster.node_states()[node].startswith("down")
                )
            finally:
                cluster.start_node(node)
            assert process.wait(RUN_SECONDS) == 0, logs(project, cluster)
        wait_until(
            lambda: cluster.node_states()[node] == "idle",
            RUN_SECONDS,
            f"{node} is not back",
            lambda: logs(project, cluster),
        )
        assert differences(of(chosen, results(project)), expected) == []


def two_jobs_one_running(cluster: Cluster) -> bool:
    """Whether jobs run and wait."""
    states = list(cluster.queue().values())
    return "RUNNING" in states and len(states) > 1


def wait_for(
    process: subprocess.Popen[bytes], project: Path, cluster: Cluster, state: str, reached: Callable[[], object]
) -> None:
    """Wait for a state, however long it takes, but in vain no longer than the run lives that should lead to it."""

    def reached_or_over() -> bool:
        return bool(reached()) or process.poll() is not None

    wait_until(reached_or_over, RUN_SECONDS, f"not yet: {state}", lambda: logs(project, cluster))
    assert process.poll() is None, f"the run ended before: {state}\n{logs(project, cluster)}"


def rules_of_the_cluster(project: Path) -> set[str]:
    """Every rule whose jobs do not run where the workflow itself does."""
    texts = [path.read_text(encoding="utf-8") for path in (project / "workflow/rules").glob("*.smk")]
    local = {name for text in texts for names in LOCAL.findall(text) for name in names.split(", ")}
    return {name for text in texts for name in RULE.findall(text)} - local


def products(chosen: Sequence[str]) -> set[str]:
    """What is made for some experiments alone, without the files that gather all of them."""
    files = {f"figures/{e}.{kind}" for e in chosen for kind in ("pdf", "png")}
    files |= {f"{folder}/{e}.csv" for e in chosen for folder in ("tables", "claims", "errata", "ledger")}
    return files | {f"tables/{e}.provenance.json" for e in chosen}


def of(chosen: Sequence[str], found: dict[str, bytes]) -> dict[str, bytes]:
    """The results that are made for some experiments alone, without what several of them share."""
    return {name: content for name, content in found.items() if name in products(chosen)}


def targets(chosen: Sequence[str]) -> list[str]:
    """The files to ask the workflow for, to have all of some experiments at reduced scale."""
    return [str(QUICK / name) for e in chosen for name in (f"figures/{e}.pdf", f"claims/{e}.csv")]


def results(project: Path) -> dict[str, bytes]:
    """Every result of a quick run by its name; of the provenance all but the time it took."""
    found = {}
    for path in sorted((project / QUICK).rglob("*")):
        name = path.relative_to(project / QUICK).as_posix()
        if path.is_file() and not name.startswith(TELLS_TIMES):
            found[name] = without_seconds(path) if name.endswith(".provenance.json") else path.read_bytes()
    return found


def without_seconds(provenance: Path) -> bytes:
    """A provenance file's content but for the time that the table took."""
    told = json.loads(provenance.read_text(encoding="utf-8"))
    del told["seconds"]
    return json.dumps(told, sort_keys=True).encode()


def differences(made: dict[str, bytes], expected: dict[str, bytes]) -> list[str]:
    """The names of the results that differ, or that only one of the two runs has."""
    return sorted(name for name in made.keys() | expected.keys() if made.get(name) != expected.get(name))


def run(project: Path, *arguments: str, cluster: Cluster | None = None) -> None:
    """Run the workflow in a copy to its end, which has to be a good one."""
    with started(project, *arguments, cluster=cluster) as process:
        assert process.wait(RUN_SECONDS) == 0, logs(project, cluster)


@contextlib.contextmanager
def started(project: Path, *arguments: str, cluster: Cluster | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """The workflow at work in a copy, with the copy's own code; it does not outlive the block."""
    command = [str(Path(sys.executable).with_name("snakemake")), "--nolock", *WITH_OVERLAY, *arguments]
    with (project / "run.log").open("ab") as log:
        process = subprocess.Popen(
            dies_with_its_parent(command),
            cwd=project,
            env=environment(project),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"{error}\n{logs(project, cluster)}") from error
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def environment(project: Path) -> dict[str, str]:
    """What `make` gives the workflow: the environment's programs, one numeric thread; and the copy's own modules."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_", "SNAKEMAKE_"))
    }
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{kept['PATH']}"
    return kept | threads | {"PATH": programs, "PYTHONPATH": str(project / "src")}


def logs(project: Path, cluster: Cluster | None) -> str:
    """The ends of all logs that may tell what went wrong."""
    paths = [project / "run.log", *sorted((project / ".snakemake" / "slurm_logs").rglob("*.log"))[-3:]]
    told = [f"--- {path.relative_to(project)}\n{tail(path)}" for path in paths]
    return "\n".join([*told, cluster.logs() if cluster else ""])
