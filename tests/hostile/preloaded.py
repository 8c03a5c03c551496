"""What the process imports once whose forks are commands: the whole package, with its kernels compiled."""

import codecs
import gc
import importlib
import pkgutil

import pytest  # noqa: F401 - which a child would import for its parent's sake

import dpsampling
import hostile.forks  # noqa: F401
import reproduction
from dpsampling.event_logs import compile as kernels
from reproduction import project

RUNS_WHEN_IMPORTED = "dpsampling.__main__"
# Modules too, which not every child may read.
ENCODINGS = ("utf-8-sig", "utf-16", "latin-1", "cp437", "unicode-escape")

project.experiments()
for package in (dpsampling, reproduction):
    for told in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if told.name != RUNS_WHEN_IMPORTED:
            importlib.import_module(told.name)
kernels.main()
for name in ENCODINGS:
    codecs.lookup(name)
gc.collect()
gc.freeze()  # no child looks through what it was born with, and copies it by that
