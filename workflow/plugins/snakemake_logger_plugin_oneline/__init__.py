"""The engine's progress in one line that moves; where there is no terminal, a line for each tenth of the run.

Failures and warnings are told in full, as the engine words them; everything else is in the engine's own log file.
`workflow/run.py` asks for this handler; a bare `snakemake` does without.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import threading
import time
from pathlib import Path

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from dpsampling.progress import Progress

CLEAR = "\r\x1b[K"
PACE = 0.2  # seconds between two drawings of the line, at the least
LINES = 12  # of a failed job's log are shown
TOLD_BY_THE_JOB = "RuleException:\nCalledProcessError"  # its command, a screen long, is in the engine's log
WORTH_TELLING = ("Building DAG of jobs", "Nothing to be done")  # of the engine's own remarks
TICK = 1.0  # and at the most


class LogHandler(LogHandlerBase):
    """Reads the engine's events; writes to standard error."""

    def __post_init__(self) -> None:
        self.stream = sys.stderr
        self.moving = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.progress = Progress(begin=time.monotonic())
        self.drawn = 0.0
        self.over = threading.Event()
        if self.moving:
            threading.Thread(target=self._tick, daemon=True).start()

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = False
    needs_rulegraph = False

    def emit(self, record: logging.LogRecord) -> None:
        """One event, or one message."""
        try:
            self._take(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Nothing is drawn any more."""
        self.over.set()
        super().close()

    def _tick(self) -> None:
        """Seconds pass although nothing happens."""
        while not self.over.wait(TICK):
            self.acquire()
            try:
                if self.progress.running:
                    self._draw(time.monotonic())
            finally:
                self.release()

    def _take(self, record: logging.LogRecord) -> None:
        event, now = getattr(record, "event", None), time.monotonic()
        if event == LogEvent.RUN_INFO:
            self.progress.plan(record.stats)  # type: ignore[attr-defined]
        elif event == LogEvent.RESOURCES_INFO:
            self.progress.cores = int(getattr(record, "cores", None) or self.progress.cores)
        elif event == LogEvent.JOB_INFO:
            self.progress.describe(record.jobid, record.rule_name, record.rule_msg)  # type: ignore[attr-defined]
        elif event == LogEvent.JOB_STARTED:
            for job in record.jobs:  # type: ignore[attr-defined]
                self.progress.start(job, now)
        elif event == LogEvent.JOB_FINISHED:
            self.progress.finish(record.job_id, now)  # type: ignore[attr-defined]
        elif event == LogEvent.PROGRESS:
            self.progress.count(record.done, record.total)  # type: ignore[attr-defined]
            self._tell(now)
            return
        elif event == LogEvent.JOB_ERROR:
            self.progress.fail(record.jobid)  # type: ignore[attr-defined]
            self._say(self._failure(record))
        elif event in {LogEvent.GROUP_ERROR, LogEvent.ERROR} or record.levelno >= logging.WARNING:
            text = self.format(record)
            if not text.startswith(TOLD_BY_THE_JOB):
                self._say(text)
        elif event is None and str(record.msg).startswith(WORTH_TELLING):
            self._say(str(record.msg))
        if self.moving and now - self.drawn > PACE:
            self._draw(now)

    def _failure(self, record: logging.LogRecord) -> str:
        """What failed, and the end of what it said."""
        _, words = self.progress.known.get(record.jobid, ("", f"job {record.jobid}"))  # type: ignore[attr-defined]
        logs = [path for path in map(Path, getattr(record, "log", None) or []) if path.is_file()]
        if not logs:
            return f"{words} failed.\n{self.format(record)}"
        said = [line for path in logs for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
        return "\n".join(
            [f"{words} failed; {', '.join(map(str, logs))} ends with:", *(f"  {s}" for s in said[-LINES:])]
        )

    def _tell(self, now: float) -> None:
        ended = self.progress.done == self.progress.total
        if self.moving and not ended:
            self._draw(now)
        elif self.moving:
            self._write(CLEAR)
        elif self.progress.milestone():
            self._write(f"{self.progress.line(now, 160)}\n")

    def _draw(self, now: float) -> None:
        self.drawn = now
        self._write(CLEAR + self.progress.line(now, shutil.get_terminal_size().columns - 1))

    def _say(self, text: str) -> None:
        if text and text != "None":
            self._write(f"{CLEAR if self.moving else ''}{text}\n")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
