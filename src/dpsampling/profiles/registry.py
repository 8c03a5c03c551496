"""Every mechanism on profiles, by name: one class of matrices, four ways to find them."""

from __future__ import annotations

from dpsampling.mechanisms.entry import Entry
from dpsampling.profiles.mechanism import ProfileMechanism
from dpsampling.profiles.solvers import MECHANISMS

SOURCES = {
    "randomized-response": "thesis section 7.6.1",
    "cluster": "thesis Algorithm 7",
    "smooth-one-bit": "thesis Algorithm 8",
    "smooth": "thesis Algorithm 9",
}
LOOKS = {"randomized-response": "black", "cluster": "green", "smooth-one-bit": "blue", "smooth": "vermilion"}
ENTRIES = tuple(
    Entry(name, f"{name.replace('-', ' ')} mechanism", LOOKS[name], SOURCES[name], ProfileMechanism)
    for name in MECHANISMS
)
