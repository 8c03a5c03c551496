"""Every mechanism of the library: the registries of its rooms, together."""

from __future__ import annotations

from dpsampling.amplification import registry as amplification
from dpsampling.event_logs import registry as warlogs
from dpsampling.foundations import registry as foundations
from dpsampling.learners import registry as learners
from dpsampling.learners.logistic import registry as logistic
from dpsampling.mechanisms import registry as mechanisms
from dpsampling.profiles import registry as profiles

ENTRIES = (
    *mechanisms.ENTRIES,
    *warlogs.ENTRIES,
    *profiles.ENTRIES,
    *amplification.ENTRIES,
    *logistic.ENTRIES,
    *foundations.ENTRIES,
    *learners.ENTRIES,
)
