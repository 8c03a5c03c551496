"""A real SLURM of two nodes on this machine, for as long as a test needs it.

    with local_slurm() as cluster:
        ...                       # sbatch, squeue, scancel and the workflow's slurm profile work here

Two `slurmd` answer on the loopback interface as if they were two machines; `munged` vouches for both with a key of its
own. What is started here is stopped by its process id, what is installed here is removed again, and the configuration
that stood in /etc/slurm stands there afterwards: with client tools that look for a stopped controller, each later call
of Snakemake on this machine would wait ten seconds.

All this is done by a keeper, this file run as a program. It ends when its standard input does, so it also cleans up
after a test run that was killed.
"""

import contextlib
import fcntl
import json
import os
import secrets
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

NODES = ("n1", "n2")
PACKAGES = ("munge", "slurm-client", "slurmctld", "slurmd")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "srun", "scancel", "scontrol", "sinfo")
# Snakemake's plugin drops SLURM_* variables, SLURM_CONF too: the tools have to find the file in its usual place.
CONFIGURATION = Path("/etc/slurm/slurm.conf")
MOVED_ASIDE = CONFIGURATION.with_name("slurm.conf.moved-aside-by-dpsampling")
FOLDER_PREFIX = "dpsampling-slurm-"

INSTALL_SECONDS = 180
START_SECONDS = 30
STOP_SECONDS = 15
QUERY_SECONDS = 20
TURN_SECONDS = 300
BRING_UP_SECONDS = TURN_SECONDS + 2 * INSTALL_SECONDS + START_SECONDS
CLEAN_UP_SECONDS = 6 * STOP_SECONDS + INSTALL_SECONDS


class UnavailableError(Exception):
    """Why no cluster can be brought up on this machine."""


@dataclass(frozen=True)
class Cluster:
    """A running cluster; its daemons' logs are in `folder`, and its keeper does what it is told in a line."""

    folder: Path
    tell: Callable[[str], None] = field(default=lambda line: None, repr=False)

    def queue(self) -> dict[str, str]:
        """The state of each job that is not over yet, by job id."""
        listed = _output("squeue", "--noheader", "--states=PENDING,RUNNING,COMPLETING", "--format=%i %T")
        return dict(line.split(maxsplit=1) for line in listed.splitlines())

    def cancel(self, *jobs: str) -> bool:
        """Cancel some jobs."""
        _output("scancel", *jobs)
        return True

    def cancel_named(self, name: str) -> None:
        """Cancel the jobs of a run, by the name that they all bear."""
        _output("scancel", f"--name={name}")

    def running_on(self) -> dict[str, str]:
        """The node of each job that runs, by job id."""
        listed = _output("squeue", "--noheader", "--states=RUNNING", "--format=%i %N")
        return dict(line.split(maxsplit=1) for line in listed.splitlines())

    def kill_job(self, job: str) -> bool:
        """Kill a job's processes, as a node that is out of memory does; whether there were any yet."""
        processes = _processes_of(job)
        for process in processes:
            _kill(process)
        return bool(processes)

    def kill_node(self, node: str) -> None:
        """What a power cut does to a node: its daemon and all that runs there are gone at once."""
        jobs = [job for job, on in self.running_on().items() if on == node]
        self.tell(f"kill {node}")
        for job in jobs:
            for process in (*_step_daemons_of(job), *_processes_of(job)):
                _kill(process)

    def start_node(self, node: str) -> None:
        """Bring a node back."""
        self.tell(f"start {node}")

    def node_states(self) -> dict[str, str]:
        """What the controller thinks of each node, such as idle, mixed, allocated, down*."""
        listed = _output("sinfo", "--noheader", "--Node", "--format=%N %T", check=False)
        return dict(line.split(maxsplit=1) for line in listed.splitlines())

    def nodes_used(self) -> set[str]:
        """The nodes on which jobs have run, among those jobs that the controller still remembers."""
        return set(_output("squeue", "--noheader", "--states=all", "--format=%N").split())

    def logs(self) -> str:
        """The end of each daemon's log, for messages of failure."""
        return "\n".join(f"--- {path.name}\n{tail(path)}" for path in sorted(self.folder.glob("*.log")))


@contextlib.contextmanager
def local_slurm() -> Iterator[Cluster]:
    """A running cluster, kept by a process of its own; UnavailableError where there can be none."""
    keeper = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert keeper.stdout is not None
        if not select.select([keeper.stdout], [], [], BRING_UP_SECONDS)[0]:
            raise TimeoutError(f"the cluster is not up after {BRING_UP_SECONDS} s")
        answer = json.loads(keeper.stdout.readline() or '{"failed": "the keeper of the cluster died"}')
        if "unavailable" in answer:
            raise UnavailableError(answer["unavailable"])
        if "failed" in answer:
            raise RuntimeError(answer["failed"])

        def tell(line: str) -> None:
            assert keeper.stdin is not None
            assert keeper.stdout is not None
            keeper.stdin.write(line + "\n")
            keeper.stdin.flush()
            assert keeper.stdout.readline() == "done\n", line

        yield Cluster(Path(answer["folder"]), tell)
    finally:
        try:
            said, _ = keeper.communicate(timeout=CLEAN_UP_SECONDS)
        except subprocess.TimeoutExpired:
            keeper.kill()
            keeper.communicate()
            raise
    if said:
        raise RuntimeError(f"the cluster did not go down well:\n{said}")


def keep_cluster() -> None:
    """Bring up the cluster, say where it is or why there is none, and take it down at the end of standard input."""
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    try:
        with _cluster_here() as cluster:
            print(json.dumps({"folder": str(cluster.folder)}), flush=True)
            for line in sys.stdin:
                cluster.tell(line)
                print("done", flush=True)
    except UnavailableError as error:
        print(json.dumps({"unavailable": str(error)}), flush=True)
    except Exception:
        print(json.dumps({"failed": traceback.format_exc()}), flush=True)


@contextlib.contextmanager
def _cluster_here() -> Iterator[Cluster]:
    """The cluster as children of this process; the machine is left as it was."""
    _check_machine()
    with contextlib.ExitStack() as stack:
        stack.enter_context(_one_at_a_time())
        stack.enter_context(_packages_installed())
        _check_no_daemons()
        _tidy_after_a_killed_keeper()
        _check_no_other_cluster()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX)))
        folder.chmod(0o755)  # munge's clients must be able to enter
        cluster = Cluster(folder)
        configuration = _write_configuration(folder)
        stack.enter_context(_configuration_linked(configuration))
        stack.enter_context(_daemon(_munge_command(folder), folder / "munged-output.log"))
        wait_until(lambda: (folder / "munge.socket").exists(), START_SECONDS, "munged has no socket", cluster.logs)
        controller = ["slurmctld", "-D", "-c", "-f", str(configuration)]
        stack.enter_context(_daemon(controller, folder / "slurmctld-output.log"))
        nodes = {node: stack.enter_context(_node(node, folder, configuration)) for node in NODES}

        def obey(line: str) -> None:
            what, node = line.split()
            if what == "kill":
                nodes[node].kill()
                nodes[node].wait()
            else:
                nodes[node] = stack.enter_context(_node(node, folder, configuration))

        stack.callback(_end_all_jobs, cluster)
        wait_until(_all_nodes_idle, START_SECONDS, "the nodes are not idle", cluster.logs)
        yield Cluster(folder, obey)


def dies_with_its_parent(command: Sequence[str]) -> list[str]:
    """The command so that the system kills it when the process that started it is gone."""
    return [*(["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []), *command]


def wait_until(true: Callable[[], bool], seconds: float, complaint: str, logs: Callable[[], str]) -> None:
    """Wait for something, and complain with the logs' ends when it takes too long."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{complaint} after {seconds} s.\n{logs()}")
        time.sleep(0.2)


def tail(path: Path, lines: int = 25) -> str:
    """The last lines of a text file, or nothing where there is no file."""
    try:
        return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except OSError:
        return ""


def _check_machine() -> None:
    if not sys.platform.startswith("linux"):
        raise UnavailableError("SLURM's daemons need Linux")
    if os.geteuid() != 0:
        raise UnavailableError("starting SLURM's daemons needs root")


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Wait for a cluster of another test run to be gone. The lock is on a folder, so that it leaves no file."""
    folder = os.open(CONFIGURATION.parents[1], os.O_RDONLY)
    try:
        deadline = time.monotonic() + TURN_SECONDS
        while True:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise UnavailableError("another test run has its cluster on this machine") from None
            time.sleep(1)
        yield
    finally:
        os.close(folder)


def _check_no_daemons() -> None:
    """Keep away from a machine that already is a cluster's."""
    running = _processes_named("slurmctld", "slurmd")
    if running:
        raise UnavailableError(f"SLURM already runs on this machine (process {running[0]})")


def _check_no_other_cluster() -> None:
    """Keep away from a machine from which jobs are submitted to a cluster."""
    if CONFIGURATION.exists() and " is UP" in _output("scontrol", "ping", check=False):
        raise UnavailableError(f"this machine belongs to a SLURM cluster, as {CONFIGURATION} says")


def _tidy_after_a_killed_keeper() -> None:
    """Take away what a keeper left behind that was killed itself; its daemons went with it."""
    if CONFIGURATION.is_symlink() and FOLDER_PREFIX in str(CONFIGURATION.readlink()):
        folder = CONFIGURATION.readlink().parent
        CONFIGURATION.unlink()
        _kill_job_keepers()
        shutil.rmtree(folder, ignore_errors=True)
    if MOVED_ASIDE.exists() and not CONFIGURATION.exists():
        MOVED_ASIDE.rename(CONFIGURATION)


@contextlib.contextmanager
def _packages_installed() -> Iterator[None]:
    """SLURM's programs, installed by apt for this time where they are absent."""
    if all(shutil.which(program) for program in PROGRAMS):
        yield
        return
    if not shutil.which("apt-get"):
        raise UnavailableError("SLURM is not installed, and there is no apt-get to install it with")
    present = _installed_packages()
    _apt("update")
    planned = {
        line.split()[1] for line in _apt("install", "--simulate", *PACKAGES).splitlines() if line.startswith("Inst ")
    }
    try:
        _apt("install", *PACKAGES)
        missing = [program for program in PROGRAMS if not shutil.which(program)]
        if missing:
            raise UnavailableError(f"the packages of this system lack {', '.join(missing)}")
        yield
    finally:
        _apt("purge", *sorted(planned - present))


def _installed_packages() -> set[str]:
    listed = _output("dpkg-query", "--show", "--showformat=${db:Status-Abbrev} ${Package}\\n")
    return {line.split()[1] for line in listed.splitlines() if line.startswith("ii")}


def _apt(action: str, *arguments: str) -> str:
    """Run apt-get without questions; wherever it fails there is no cluster to be had."""
    command = ["apt-get", action, "--yes", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=60", *arguments]
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    try:
        run = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=INSTALL_SECONDS, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"'apt-get {action}' did not end in {INSTALL_SECONDS} s") from error
    if run.returncode != 0:
        raise UnavailableError(f"'apt-get {action}' failed: {' '.join(run.stderr.split())[-400:]}")
    return run.stdout


def _write_configuration(folder: Path) -> Path:
    """The cluster's slurm.conf: all on the loopback interface, no accounting, no control groups."""
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    for name in ("state", *NODES):
        (folder / name).mkdir()
    ports = _free_ports(1 + len(NODES))
    nodes = [
        f"NodeName={node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=4000"
        for node, port in zip(NODES, ports[1:], strict=True)
    ]
    settings = {
        "ClusterName": "dpsampling",
        "SlurmctldHost": f"{socket.gethostname()}(127.0.0.1)",
        "SlurmctldPort": ports[0],
        "CommunicationParameters": "NoInAddrAny,NoCtldInAddrAny",
        "SlurmUser": "root",
        "SlurmdUser": "root",
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={folder / 'munge.socket'}",
        "StateSaveLocation": folder / "state",
        "SlurmdSpoolDir": folder / "%n",
        "SlurmctldPidFile": folder / "slurmctld.pid",
        "SlurmdPidFile": folder / "slurmd-%n.pid",
        "SlurmctldLogFile": folder / "slurmctld.log",
        "SlurmdLogFile": folder / "slurmd-%n.log",
        "SlurmdParameters": "config_overrides",  # the nodes are as large as it says here
        "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none",
        "MpiDefault": "none",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_CPU_Memory",
        "SchedulerType": "sched/builtin",
        "AccountingStorageType": "accounting_storage/none",
        "JobAcctGatherType": "jobacct_gather/none",
        "JobCompType": "jobcomp/none",
        "MinJobAge": 300,  # squeue remembers finished jobs for so many seconds
        "KillWait": 2,
        "SlurmdTimeout": 20,  # a node that has not answered for so many seconds is down, and its jobs have failed
        "ReturnToService": 2,
    }
    lines = [f"{name}={value}" for name, value in settings.items()]
    lines += [*nodes, f"PartitionName=main Nodes={','.join(NODES)} Default=YES MaxTime=60 State=UP"]
    path = folder / "slurm.conf"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@contextlib.contextmanager
def _configuration_linked(configuration: Path) -> Iterator[None]:
    """A link to our configuration where SLURM's tools look for it; what was there comes back."""
    made_folder = not CONFIGURATION.parent.exists()
    CONFIGURATION.parent.mkdir(exist_ok=True)
    moved = CONFIGURATION.exists() or CONFIGURATION.is_symlink()
    if moved:
        CONFIGURATION.rename(MOVED_ASIDE)
    CONFIGURATION.symlink_to(configuration)
    try:
        yield
    finally:
        CONFIGURATION.unlink()
        if moved:
            MOVED_ASIDE.rename(CONFIGURATION)
        if made_folder:
            CONFIGURATION.parent.rmdir()


def _munge_command(folder: Path) -> list[str]:
    files = {"key-file": "munge.key", "socket": "munge.socket", "log-file": "munged.log"}
    files |= {"pid-file": "munged.pid", "seed-file": "munged.seed"}
    return ["munged", "--foreground", "--force", *(f"--{option}={folder / name}" for option, name in files.items())]


def _node(node: str, folder: Path, configuration: Path) -> contextlib.AbstractContextManager[subprocess.Popen[bytes]]:
    return _daemon(["slurmd", "-D", "-N", node, "-f", str(configuration)], folder / f"slurmd-{node}-output.log")


@contextlib.contextmanager
def _daemon(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A daemon that is stopped by its process id, and that does not outlive this process even if that is killed."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            dies_with_its_parent(command),
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=STOP_SECONDS)


def _end_all_jobs(cluster: Cluster) -> None:
    """Cancel what is still queued, and let it end."""
    with contextlib.suppress(subprocess.SubprocessError, TimeoutError):
        jobs = list(cluster.queue())
        if jobs:
            cluster.cancel(*jobs)
        wait_until(lambda: not cluster.queue(), STOP_SECONDS, "jobs do not end", cluster.logs)
    _kill_job_keepers()


def _kill_job_keepers() -> None:
    """Kill what SLURM's daemons leave behind when they end before their jobs."""
    for process in _processes_named("slurmstepd"):
        _kill(process)


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, 9)


def _step_daemons_of(job: str) -> list[int]:
    """The daemons that watch over a job; they call themselves `slurmstepd: [17.batch]`."""
    return [process for process in _processes_named("slurmstepd") if f"[{job}." in _words_of(process)]


def _processes_of(job: str) -> list[int]:
    """Everything that was started by the daemons that watch over a job."""
    found = _step_daemons_of(job)
    for process in found:
        with contextlib.suppress(OSError):  # it may have ended by now
            for task in Path(f"/proc/{process}/task").iterdir():
                found += map(int, (task / "children").read_text(encoding="ascii").split())
    return [process for process in found if process not in _step_daemons_of(job)]


def _words_of(process: int) -> str:
    """The command line of a process, or nothing where it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8", errors="replace")
    return ""


def _all_nodes_idle() -> bool:
    return _output("sinfo", "--noheader", "--Node", "--format=%T", check=False).split() == ["idle"] * len(NODES)


def _processes_named(*names: str) -> list[int]:
    """The ids of the living processes with one of these names."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it may have ended by now
            name, _, rest = (folder / "stat").read_text(encoding="utf-8").partition("(")[2].rpartition(")")
            if name in names and rest.split()[0] != "Z":  # dead, but not yet fetched by its parent
                found.append(int(folder.name))
    return found


def _output(*command: str, check: bool = True) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=QUERY_SECONDS, check=check).stdout


if __name__ == "__main__":
    keep_cluster()
