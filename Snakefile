# The front door: configuration, rules by stage, and the targets one asks for by name.
#
#   snakemake --cores all --workflow-profile workflow/profiles/default all        (what `make reproduce` runs)

import atexit
import hashlib
import json
import os
import sys
import time
from functools import cache
from pathlib import Path

from dpsampling import config as settings
from dpsampling import collect, dependencies, files, grids, records, settled, strict_json
from dpsampling.datasets import descriptions
from dpsampling.errors import InputError
from dpsampling.inputs import paths
from dpsampling.parameters import settings as options_of
from dpsampling.project import experiments, parts, path_of
from dpsampling.warlogs import located, schema


configfile: "config/config.yaml"


try:
    config = settings.check_config(config)
except InputError as error:
    print(f"dpsampling: {error}", file=sys.stderr)
    sys.exit(2)


include: "workflow/rules/common.smk"


rule all:
    message: "Everything is in {RESULTS}/; {RESULTS}/report.html is where to look."
    input:
        sure(RESULTS),
        lambda wildcards: finished(RESULTS),


rule quick:
    message: "Everything at reduced scale is in {QUICK}/; {QUICK}/report.html is where to look."
    input:
        sure(QUICK),
        lambda wildcards: finished(QUICK),


rule report:
    message: "The report is {RESULTS}/report.html."
    input:
        # the report is one of the files that these two list
        [f"{RESULTS}/{name}" for name in ("report.html", "manifest.json", "ro-crate-metadata.json")],


for _part in parts():
    _members = [e.id for e in EXPERIMENTS.values() if e.part == _part]
    if _members:

        rule:
            name: _part
            message: f"{parts()[_part]}: {', '.join(_members)} are made."
            input:
                lambda wildcards, members=_members: [
                    file for e in members if not lacks(RESULTS, e) for file in products(RESULTS, e)
                ],


for _id in EXPERIMENTS:

    rule:
        name: f"{_id}"
        message: f"{_id} is made: see {RESULTS}/figures/{_id}.pdf, with its table and its claims in the folders beside it."
        input: lambda wildcards, id=_id: whole(RESULTS, id)


include: "workflow/rules/warlogs.smk"
include: "workflow/rules/experiments.smk"
include: "workflow/rules/collect.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/logistic.smk"


onsuccess:
    keep_private()
    print(f"Done in {time.time() - STARTED:.0f} s.")
    from dpsampling.report.summary import summary  # not wanted by whoever only plans a run

    asked = workflow.dag_settings.targets or {"all"}
    for target, root in {"all": RESULTS, "quick": QUICK}.items():
        if target in asked:
            print(summary(Path(root)))
    for experiment in sorted(set(EXPERIMENTS) & set(asked)):
        print(
            f"See {RESULTS}/figures/{experiment}.pdf (or .png), and {experiment}.csv in {RESULTS}/tables/, claims/ "
            "and errata/ (what fails, and what holds instead)."
        )


onerror:
    keep_private()
    print("Some jobs failed. Their messages are above and in the logs/ folder of the results; what was made is kept.")
