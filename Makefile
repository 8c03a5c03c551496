# Two commands are all a newcomer needs: `make reproduce` and `make test`.
#
#   make reproduce            every figure, table and claim at paper scale, and results/report.html
#   make quick                the same at reduced repeats, in results/quick/
#   make figure ID=fig5_3     one figure with its table and its claims
#   make part PART=chapter5   one part of the project, as the report has them: chapter4 … auditing
#   make perturb              whether each claim can fail: results/perturbed.csv has the change of its table that flips it
#   make data                 the public data sets that some experiments need, into data/raw/
#   make report               results/report.html and the engine's own results/workflow-report.html
#   make verify               whether results/, or the tree that RESULTS=FOLDER names, is what its manifest says
#   make docs                 docs/ as a site in site/, with the figures and errata of results/, or of RESULTS=FOLDER
#   make test                 the test suite with lint and types; test-slow, test-machines, test-browser, test-cluster: the
#                             rest, of which test-machines computes everything as on other processors;
#                             test-wheel: the wheel away from the checkout, and what others' tools say of the papers
#   make appendix             ARTIFACT-APPENDIX.md from results/, or from the tree at paper scale that RESULTS=FOLDER names
#   make benchmark            time and memory of each part, private learners beside diffprivlib's, and the same work beside peers
#
# CORES=n sets the cores (default: all); CONFIG=overlay.yaml lays a file over the configuration;
# PROFILE=slurm runs the jobs on a cluster, PROFILE="slurm ~/lab" with a profile of your own laid over it.

PYTHON ?= python3
CORES  ?= all
CONFIG ?=
PROFILE ?= default
ID     ?=
PART   ?=
RESULTS ?= results

# What is given reaches the shell as it is, through the environment: neither make nor the shell reads commands in it.
override CORES   := $(value CORES)
override CONFIG  := $(value CONFIG)
override PROFILE := $(value PROFILE)
override ID      := $(value ID)
override PART    := $(value PART)
override RESULTS := $(value RESULTS)
export CORES CONFIG PROFILE ID PART RESULTS

VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.ready
# The configuration is checked, and what was edited or cut short since it was made is removed, before Snakemake runs.
# `--` ends the options: --configfile would take the target for another file.
RUN = $(BIN)/dpsampling config $${CONFIG:+--config "$$CONFIG"} && $(BIN)/dpsampling verify --discard "$(1)" && \
	$(BIN)/python workflow/run.py --cores "$$CORES" $${CONFIG:+--configfile "$$CONFIG"} $(2) --
export XDG_CACHE_HOME MPLCONFIGDIR := $(CURDIR)/.snakemake/cache

# One numeric thread a process: more would change results in their last bits.
export OMP_NUM_THREADS      := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS      := 1
# Every source is compiled once, not once in each of some hundred processes.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup reproduce quick perturb figure part data report docs appendix verify test test-slow test-machines test-browser test-cluster test-wheel test-all lint types format benchmark lock clean

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

$(READY): requirements.lock pyproject.toml src/pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) was not found; install Python 3.11 or newer, or name one with PYTHON=…" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $$($(PYTHON) --version) is too old; name Python 3.11 or newer with PYTHON=…" >&2; exit 2; }
	@echo "Setting up $(VENV) from requirements.lock …"
	@if command -v uv >/dev/null; then \
	    uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV) && \
	    uv pip sync --quiet --require-hashes --python $(BIN)/python requirements.lock && \
	    uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable . --editable src ; \
	else \
	    $(PYTHON) -m venv $(VENV) && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . --editable src ; \
	fi
	@echo "Compiling the samplers of event logs …"
	@$(BIN)/python -m dpsampling.event_logs.compile
	@touch $@

setup: $(READY)

reproduce: $(READY)
	@$(BIN)/dpsampling fetch || echo "What needs these data sets is not made."
	@$(call RUN,results) all
	@$(BIN)/dpsampling summary results

quick: $(READY)
	@$(BIN)/dpsampling fetch || echo "What needs these data sets is not made."
	@$(call RUN,results/quick,--config scale=quick) all
	@$(BIN)/dpsampling summary results/quick

perturb: $(READY)
	@$(call RUN,results) perturbed

figure: $(READY)
	@test -n "$$ID" || { echo "make: name a figure, as in 'make figure ID=fig5_3'; '$(BIN)/dpsampling list' shows them all" >&2; exit 2; }
	@$(BIN)/dpsampling list -- "$$ID" >/dev/null
	@$(BIN)/dpsampling config $${CONFIG:+--config="$$CONFIG"}
	@$(BIN)/dpsampling fetch --for="$$ID" $${CONFIG:+--config="$$CONFIG"}
	@$(call RUN,results) "$$ID"
	@echo "See results/figures/$$ID.pdf (or .png), and $$ID.csv in results/tables/, claims/ and errata/ (what fails, and what holds instead)."

part: $(READY)
	@test -n "$$PART" || { echo "make: name a part, as in 'make part PART=chapter5'; config/parts.yaml has them all" >&2; exit 2; }
	@grep -q "^$$PART:" config/parts.yaml || { echo "make: there is no part '$$PART'; config/parts.yaml has them all" >&2; exit 2; }
	@$(call RUN,results) "$$PART"

data: $(READY)
	@$(BIN)/dpsampling fetch

report: $(READY)
	@$(call RUN,results) report
	@$(call RUN,results,--report results/workflow-report.html) report

# Strict: whatever leads nowhere, or cannot be shown, stops it. Nothing of an older site stays.
docs: $(READY)
	@rm -rf site
	@PYTHONPATH=src $(BIN)/python -m sphinx -q -E -W --keep-going docs site
	@rm -rf site/.doctrees
	@echo "The site begins at site/index.html; a browser opens it from the disk, search included."

lint: $(READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo --no-cache

types: $(READY)
	@$(BIN)/mypy

verify: $(READY)
	@$(BIN)/dpsampling verify -- "$$RESULTS"

test: lint types
	@case "$$CORES" in all) set -- auto ;; *) set -- "$$CORES" ;; esac; $(BIN)/pytest -n "$$1"

test-slow: $(READY)
	@$(BIN)/pytest -m slow

# One worker: a run uses all cores.
test-machines: $(READY)
	@$(BIN)/pytest -n 0 -m processors

test-browser: $(READY)
	@$(BIN)/pytest -m browser

test-cluster: $(READY)
	@$(BIN)/pytest -m cluster

test-wheel: $(READY)
	@$(BIN)/pytest -n 0 -m slow tests/machines/test_wheel.py tests/machines/test_judges.py

test-all: lint types
	@$(BIN)/pytest -m "slow or processors or browser or cluster or not slow"

benchmark: $(READY)
	@$(BIN)/python benchmarks/benchmark.py
	@$(BIN)/python benchmarks/peers.py
	@$(BIN)/python benchmarks/peer_timings.py

appendix: $(READY)
	@$(BIN)/dpsampling artifact measure --main docs/artifact/main.yaml --out docs/artifact/measured.json -- "$$RESULTS"
	@$(BIN)/dpsampling artifact page --main docs/artifact/main.yaml --measured docs/artifact/measured.json --out ARTIFACT-APPENDIX.md

format: $(READY)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock:
	@uv pip compile pyproject.toml src/pyproject.toml --all-extras --generate-hashes --universal \
	    --python-version 3.11 --fork-strategy fewest --no-header --quiet --upgrade --no-emit-package dpsampling \
	    --no-emit-package dpsampling-reproduction --output-file requirements.lock

clean:
	@rm -rf results site .snakemake .mypy_cache .pytest_cache .ruff_cache .hypothesis
