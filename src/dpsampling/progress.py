"""How far a run is, in one line: jobs done, what is at work, time left.

The time left is Σ over rules of (jobs to do) × (mean seconds of the rule's jobs that are done, or of all jobs where
none of it is), over the cores at work. It is no promise: the first minutes know little.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

LEAST = 5  # finished jobs, before a time left is told
SHARE = 10  # percent between two lines, where lines stay


@dataclass
class Progress:
    """What is known of a run; times are seconds of one clock."""

    begin: float
    total: int = 0
    done: int = 0
    failed: int = 0
    planned: Counter[str] = field(default_factory=Counter)
    known: dict[int, tuple[str, str]] = field(default_factory=dict)  # rule and message by job
    running: dict[int, float] = field(default_factory=dict)  # since when, by job
    spent: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    told: int = -1  # tenths of the run that were told in lines that stay
    cores: int = 1

    def plan(self, counts: Mapping[str, int]) -> None:
        """How many jobs each rule has; what a run finds on its way adds to it."""
        self.planned = Counter({rule: int(count) for rule, count in counts.items() if rule != "total"})
        self.total = max(self.total, sum(self.planned.values()))

    def describe(self, job: int, rule: str, message: str) -> None:
        """What a job is."""
        self.known[job] = (rule, message or rule)

    def start(self, job: int, now: float) -> None:
        """A job is at work; the engine may say so before it says what the job is."""
        self.running[job] = now

    def finish(self, job: int, now: float) -> None:
        """A job is done."""
        since = self.running.pop(job, None)
        if since is not None:
            self.spent[self._rule(job)].append(now - since)

    def fail(self, job: int) -> None:
        """A job has failed."""
        self.running.pop(job, None)
        self.failed += 1

    def count(self, done: int, total: int) -> None:
        """What the engine has counted."""
        self.done, self.total = done, total

    def left(self, now: float) -> float | None:
        """Seconds to the end; None while too little is known."""
        finished = [seconds for found in self.spent.values() for seconds in found]
        if len(finished) < LEAST:
            return None
        mean = sum(finished) / len(finished)
        means = {rule: sum(found) / len(found) for rule, found in self.spent.items()}
        work = 0.0
        for rule, count in self.planned.items():
            to_do = count - len(self.spent.get(rule, ()))
            work += max(to_do, 0) * means.get(rule, mean)
        work -= sum(min(now - since, means.get(self._rule(job), mean)) for job, since in self.running.items())
        return max(work, 0.0) / max(self.cores, 1)

    def line(self, now: float, width: int) -> str:
        """One line of at most this width."""
        percent = 100 * self.done // self.total if self.total else 0
        head = f"{self.done}/{self.total} jobs ({percent}%), {span(now - self.begin)}"
        left = self.left(now)
        head += f", about {span(left)} left" if left is not None and self.done < self.total else ""
        head += f", {self.failed} failed" if self.failed else ""
        at_work = sorted(self.running.items(), key=lambda item: item[1])
        tail = ", ".join(f"{self.known[job][1]} ({span(now - since)})" for job, since in at_work if job in self.known)
        return cut(f"{head}: {tail}" if tail else head, width)

    def _rule(self, job: int) -> str:
        return self.known.get(job, ("", ""))[0]

    def milestone(self) -> bool:
        """Whether another tenth is done, once each."""
        tenth = 100 * self.done // self.total // SHARE if self.total else 0
        if tenth <= self.told:
            return False
        self.told = tenth
        return True


def span(seconds: float) -> str:
    """A length of time as one reads it."""
    whole = max(round(seconds), 0)
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def cut(text: str, width: int) -> str:
    """The text in at most so many characters."""
    return text if len(text) <= width else f"{text[: max(width - 1, 0)]}…"
