# Everything:      snakemake --cores all            One experiment: snakemake --cores all fig5_3
# At small scale:  snakemake --cores all --config scale=quick         A part: snakemake --cores all chapter5
#
#   log ─→ counts ─→ fit (log × ε) ─┐
#   data set ─→ design ─→ sweep ────┼─→ experiment: table ─→ figure and verdicts ─→ report
#   parameters (config/) ───────────┘                        audit ──────────────────┘

import hashlib
import json
import os
import shlex
import sys
from pathlib import Path

from dpsampling import files
from dpsampling.cli import configuration, parsing
from dpsampling.datasets import descriptions, fetch
from dpsampling.errors import InputError
from dpsampling.event_logs import log_files, schema
from dpsampling.files import grids
from reproduction import code
from reproduction import config as settings
from reproduction.inputs import paths
from reproduction.project import experiments, parts


configfile: "config/config.yaml"


try:
    config = settings.check_config(config)
    LOG_FILES = {  # with a log's rows; none where published counts or simulated rows stand in
        log: [str(p) for p in log_files.of_a_run(log_files.texts(config["logs"].get(log)) or schema.load(log).raw, f"log {log}: file")]
        for log in schema.names()
    }
except InputError as error:
    print(*(f"dpsampling: {sentence}" for sentence in error.sentences), sep="\n", file=sys.stderr)
    sys.exit(2)

SCALE = config["scale"]
RESULTS = "results" if SCALE == "paper" else "results/quick"
PRIVATE = RESULTS.replace("results", files.PRIVATE, 1)  # what is made of somebody's rows, its owner's alone
EXPERIMENTS = experiments()
SELECTED = settings.selected(config)
PARAMETERS = {
    id: settings.resolve(e, config["experiments"].get(id, {}), scale=SCALE) for id, e in EXPERIMENTS.items()
}


wildcard_constraints:
    id="|".join(EXPERIMENTS),
    log="|".join(LOG_FILES),
    dataset="|".join(descriptions.names()),
    place=f"{RESULTS}|{PRIVATE}",
    part="[0-9a-f]{12}",
    rows="[0-9.]+",


include: "workflow/rules/inputs.smk"
include: "workflow/rules/experiments.smk"
include: "workflow/rules/report.smk"


rule all:
    message: f"Everything is in {RESULTS}/; {RESULTS}/report.html is where to look."
    default_target: True
    input: rules.collect.output, rules.audit.output, [path for id in MADE for path in products(id)]


rule report:
    message: f"The report is {RESULTS}/report.html."
    input: rules.collect.output


rule perturbed:
    message: f"{RESULTS}/perturbed.csv has the change of its table that flips each verdict."
    input: f"{RESULTS}/perturbed.csv"


for part in parts():

    rule:
        name: part
        message: f"{part} is made."
        input: [path for id in MADE if EXPERIMENTS[id].part == part for path in products(id)],


for id in EXPERIMENTS:

    rule:
        name: id
        message: f"See {RESULTS}/figures/{id}.pdf, and {id}.csv in {RESULTS}/tables, claims and errata."
        input: products(id), [os.path.relpath(path) for name in lacks(id) for path in paths.dataset_files(name)]
