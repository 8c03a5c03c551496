"""Every mechanism of this room, by name."""

from __future__ import annotations

from dpsampling.foundations import session_exposures
from dpsampling.foundations.query_session import QuerySession
from dpsampling.foundations.robust import exposures as robust
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.mechanisms.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "query-session",
        "query session",
        "teal",
        "Robust 2014 Algorithm 1",
        QuerySession,
        exposed=session_exposures.exposed,
    ),
    Entry(
        "finite-posterior",
        "posterior over finitely many parameters",
        "wine",
        "Robust 2014 Theorem 2 (i)",
        FinitePosterior,
        exposed=robust.exposed,
    ),
)
