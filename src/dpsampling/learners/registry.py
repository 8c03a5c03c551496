"""Every learner of this room, by name."""

from __future__ import annotations

from dpsampling.mechanisms.entry import Entry

ENTRIES: tuple[Entry, ...] = ()
