"""The jobs of a run, forked from one process: each is as if it had been started by itself.

The library is played by a package of the test's own, which does what its arguments say.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import warm
from conftest import PROJECT, Copy

JOBS = PROJECT / "workflow/jobs"
pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system tells no process of another's end")

PLAYED = """
import os, signal, sys, time
def main():
    told, rest = sys.argv[1], sys.argv[2:]
    if told == "tell":
        mask = os.umask(0)
        print(os.getcwd(), os.environ["ASKED"], mask, sys.stdin.read(), rest, "WORDS", sep="|")
        print("and this", file=sys.stderr)
    elif told == "end":
        sys.exit(rest[0] if rest[0].isalpha() else int(rest[0]))
    elif told == "fail":
        raise KeyError("of the job")
    elif told == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif told == "wait":
        print(os.getpid(), flush=True)
        time.sleep(60)
    elif told == "imported":
        print("numpy" in sys.modules, os.getppid(), sum(name.startswith("dpsampling.") for name in sys.modules))
    return 0
"""


class Server:
    """The server as a run starts it, and the program by which a rule calls it."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "library/dpsampling/cli.py"
        self.source.parent.mkdir(parents=True)
        (self.source.parent / "__init__.py").touch()
        (self.source.parent / "__main__.py").write_text("from dpsampling.cli import main\nmain()\n", encoding="utf-8")
        self.source.write_text(PLAYED, encoding="utf-8")
        for name in ("whole", "broken", "table"):  # of which the second cannot be imported, and the third is not
            path = folder / f"library/dpsampling/stages/{name}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text("1 / 0" if name == "broken" else "", encoding="utf-8")
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind("")
        listening.listen(8)
        until, self.run_of = os.pipe()
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(folder / "library"),
            "PYTHONDONTWRITEBYTECODE": "1",  # a source may change twice within a second here
            "DPSAMPLING_JOB_SERVER": listening.getsockname()[1:].decode(),
            "OMP_NUM_THREADS": "1",
            "ASKED": "so",
        }
        self.process = subprocess.Popen(
            [sys.executable, str(JOBS / "server.py"), str(listening.fileno()), str(until)],
            pass_fds=(listening.fileno(), until),
            env=self.environment,
        )
        listening.close()
        os.close(until)

    def call(self, *words: str) -> list[str]:
        return [sys.executable, "-IS", str(JOBS / "dpsampling"), *words]

    def does(self, *words: str, stdin: str = "", cwd: Path | None = None, **changed: str) -> tuple[int, str, str]:
        """Exit code and streams of one job."""
        done = subprocess.run(
            self.call(*words),
            input=stdin,
            cwd=cwd,
            env={**self.environment, **changed},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def starts(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(self.call(*words), env=self.environment, stdout=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("served"))
    yield started
    os.close(started.run_of)
    assert started.process.wait(timeout=60) == 0


def gone(process: int) -> bool:
    """Whether it has ended, soon."""
    until = time.monotonic() + 30.0
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_a_job_has_its_callers_streams_folder_environment_and_mode_mask(server: Server, tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        code, out, error = server.does("tell", "a b", "ü", stdin="given", cwd=tmp_path, ASKED="otherwise")
    finally:
        os.umask(old)
    assert (code, error) == (0, "and this\n")
    assert out == f"{tmp_path}|otherwise|{0o027}|given|['a b', 'ü']|WORDS\n"


def test_a_job_finds_the_libraries_imported_and_one_of_its_own_is_not(server: Server) -> None:
    assert server.does("imported")[1] == f"True {server.process.pid} 3\n"
    for elsewhere in ({"DPSAMPLING_JOB_SERVER": ""}, {"DPSAMPLING_JOB_SERVER": "none"}, {"OMP_NUM_THREADS": "2"}):
        code, out, _ = server.does("imported", **elsewhere)
        assert (code, out.split()[0]) == (0, "False")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("end", "0"), 0, ""),
        (("end", "2"), 2, ""),
        (("end", "words"), 1, "words\n"),
        (("fail",), 1, "KeyError: 'of the job'\n"),
        (("killed",), -signal.SIGKILL, ""),
    ],
)
def test_a_caller_ends_as_its_job_does(server: Server, words: tuple[str, ...], code: int, said: str) -> None:
    ended, out, error = server.does(*words)
    assert (ended, out) == (code, "")
    assert error.endswith(said)


def test_a_job_is_made_by_the_sources_as_they_are_when_it_starts(server: Server) -> None:
    assert server.does("imported")[1].startswith("True")
    for words in ("OTHER WORDS", "WORDS"):
        server.source.write_text(PLAYED.replace("WORDS", words), encoding="utf-8")
        assert server.does("tell")[1].endswith(f"|{words}\n")
    assert server.does("imported")[1].startswith("False")  # a source that was changed and changed back is another file


def test_jobs_run_beside_one_another(server: Server) -> None:
    waiting = [server.starts("wait") for _ in range(3)]
    numbers = [int(one.stdout.readline()) for one in waiting if one.stdout]
    assert len(set(numbers)) == 3
    assert server.does("end", "3")[0] == 3
    os.kill(numbers[1], signal.SIGTERM)  # the job itself
    assert waiting[1].wait(timeout=30) == -signal.SIGTERM
    for one, number in ((waiting[0], numbers[0]), (waiting[2], numbers[2])):
        one.kill()  # its caller
        one.wait()
        assert gone(number)
    for one in waiting:
        one.communicate()


def test_what_asks_for_nothing_or_for_nonsense_does_not_stop_the_others(server: Server) -> None:
    for said in (b"", b"x" * 8, (4).to_bytes(8, "big") + b"[[[["):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stranger:
            stranger.connect(b"\0" + server.environment["DPSAMPLING_JOB_SERVER"].encode())
            stranger.sendall(said)
    assert server.does("end", "0")[0] == 0


def test_the_server_ends_with_its_run_and_not_before_its_jobs(tmp_path: Path) -> None:
    started = Server(tmp_path)
    waiting = started.starts("wait")
    assert waiting.stdout
    number = int(waiting.stdout.readline())
    os.close(started.run_of)
    with pytest.raises(subprocess.TimeoutExpired):
        started.process.wait(timeout=1.0)
    assert started.does("imported")[1].startswith("False")  # it takes no other
    os.kill(number, signal.SIGTERM)
    assert started.process.wait(timeout=30) == 0
    waiting.communicate(timeout=30)
    assert waiting.returncode == -signal.SIGTERM


@pytest.mark.parametrize("forbidden", ["socket.socket", "os.pipe", "subprocess.Popen"])
def test_a_system_that_forbids_the_means_has_no_server(forbidden: str) -> None:
    """Nothing is left behind either: no open file, and no address that a job would ask."""
    told = f"""
import os, socket, subprocess
from jobs import here
def forbid(*_, **__):
    raise PermissionError("not in this sandbox")
files = os.listdir("/proc/self/fd")
{forbidden} = forbid
assert here.start() is None
assert here.ADDRESS not in os.environ
assert os.listdir("/proc/self/fd") == files
"""
    done = warm.run([sys.executable, "-c", told], cwd=JOBS.parent, together=True)
    assert done.returncode == 0, done.stdout


def test_a_job_ends_with_its_server_and_its_caller_says_so(tmp_path: Path) -> None:
    started = Server(tmp_path)
    waiting = subprocess.Popen(started.call("wait"), env=started.environment, stdout=-1, stderr=-1, text=True)
    assert waiting.stdout
    number = int(waiting.stdout.readline())
    started.process.kill()
    _, error = waiting.communicate(timeout=30)
    assert (waiting.returncode, error.count("\n")) == (1, 1)
    assert "start the run again" in error
    assert gone(number)
    started.process.wait()
    os.close(started.run_of)


def test_a_run_makes_the_same_with_its_server_and_without_and_measures_its_jobs(small: Copy) -> None:
    target = ("--cores", "2", "--configfile", "overlay.yaml", "--", "quick")
    small.run(*target)
    results = small.folder / "results/quick"
    told = [json.loads(path.read_text(encoding="utf-8")) for path in (results / "benchmarks").rglob("*.jsonl")]
    sampled = [job["max_rss"] for job in told if job["s"] > 1.0 and job["max_rss"] != "NA"]
    # MB; a caller alone has 10, which is all that is seen of the first two, which wait for the imports
    assert sum(memory < 100.0 for memory in sampled) <= 2, sampled
    assert max(sampled) > 100.0
    served = {path.relative_to(results): path.read_bytes() for path in sorted(results.rglob("*.csv"))}
    assert served
    for path in results.rglob("*.csv"):
        path.unlink()
    os.environ["DPSAMPLING_JOB_SERVER"] = "off"
    try:
        small.run(*target)
    finally:
        del os.environ["DPSAMPLING_JOB_SERVER"]
    assert {path: (results / path).read_bytes() for path in served} == served
