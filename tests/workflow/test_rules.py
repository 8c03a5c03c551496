"""The parsed workflow: every rule has what the house asks of it, and depends on the modules it really imports."""

from __future__ import annotations

import inspect
import os
import re
import sys

import pytest

import warm
from conftest import PROJECT
from dpsampling import dependencies, project
from dpsampling.project import experiment, experiments, parts
from layers import FRONT_DOOR


@pytest.fixture(scope="module")
def rules():
    from snakemake.api import SnakemakeApi
    from snakemake.settings.types import ConfigSettings, OutputSettings, Quietness, ResourceSettings

    here = os.getcwd()  # noqa: PTH109
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        workflow = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(),
            snakefile=PROJECT / "Snakefile",
            workdir=PROJECT,
        )
        found = {rule.name: rule for rule in workflow._workflow.rules}
    os.chdir(here)
    return found


def test_no_experiment_can_be_called_as_a_rule_or_a_target(rules):
    assert set(rules) - set(experiments()) - set(parts()) == project.TARGETS


def working(rules):
    return {name: rule for name, rule in rules.items() if rule.shellcmd}


@pytest.mark.parametrize("part", sorted({e.part for e in experiments().values()}))
def test_a_part_is_its_experiments(rules, part):
    members = {e.id for e in experiments().values() if e.part == part}
    independent = {i for i in members if not {"dataset", "datasets"} & set(experiments()[i].parameters)}
    if not independent:
        pytest.skip("what is made of this part depends on which data sets are there")
    files = rules[part].input[0](None, members=sorted(independent))
    assert {f"results/claims/{i}.csv" for i in independent} <= set(files)
    assert all(isinstance(file, str) for file in files)


def test_the_named_targets_exist(rules):
    inhabited = {e.part for e in experiments().values()}
    assert inhabited <= set(parts())
    targets = {"all", "quick", "report", *inhabited, *experiments()}
    assert targets <= set(rules)
    assert next(iter(rules)) == "all"


def test_a_tree_whose_report_is_made_again_still_is_what_its_manifest_says(rules):
    assert {str(name) for name in rules["report"].input} >= {"results/report.html", "results/manifest.json"}


def test_every_rule_is_one_call_of_the_command_line_and_says_what_it_does(rules):
    for name, rule in rules.items():
        assert rule.message, name
    for name, rule in working(rules).items():
        assert rule.shellcmd.startswith(WATCHED), name
        assert rule.shellcmd.endswith(" > {log:q} 2>&1"), name
        assert rule.shellcmd.count("dpsampling") == 1, name


WATCHED = "dpsampling job --seal {input.seal:q} --reads {input:q} --makes {output:q} --runs "


def test_nothing_reaches_a_shell_unquoted(rules):
    for name, rule in working(rules).items():
        assert all(field.endswith(":q") for field in re.findall(r"\{([^}]*)\}", rule.shellcmd)), name


def test_every_job_has_a_seal_of_its_own(rules):
    """Two rules that shared one would break each other's."""
    logs = {name: re.sub(r"\{(\w+),[^}]*\}", r"{\1}", str(rule.log[0])) for name, rule in working(rules).items()}
    assert len(set(logs.values())) == len(logs)
    for name, rule in working(rules).items():
        bound = inspect.getclosurevars(getattr(rule.input.seal, "callable", rule.input.seal)).nonlocals
        assert bound["job"] == logs[name].replace("/logs", "", 1).removesuffix(".log"), name


STAGE_COMMANDS = {
    "table": "table {id} --set n=50 --out {folder}/t.csv",
    "figure": "figure {id} --table {folder}/t.csv --out {folder}/f.png",
    "claims": "claims {id} --table {folder}/t.csv --out {folder}/c.csv --errata {folder}/e.csv --ledger {folder}/l.csv"
    " --perturbed {folder}/p.csv",
}
LOADED = """
import sys
from dpsampling.cli import main
code = main(sys.argv[1:])
print("\\n".join(name for name in sys.modules if name.split(".")[0] == "dpsampling"))
raise SystemExit(code)
"""


def undeclared(experiment_id, stage, command, folder, settings, supplied=frozenset()):
    """The modules that a stage loads, besides the front door, and does not declare."""
    arguments = command.replace("--set n=50", settings).format(id=experiment_id, folder=folder).split()
    done = warm.run([sys.executable, "-c", LOADED, *arguments], cwd=PROJECT)
    assert done.returncode == 0, done.stderr
    e = experiment(experiment_id)
    declared = set(dependencies.stage_files(e.code, stage, e.needs))
    loaded = {name for name in done.stdout.split() if name.removeprefix("dpsampling.").split(".")[0] not in FRONT_DOOR}
    # By these the front door reads.
    loaded -= {
        f"dpsampling.{name}"
        for name in (
            *("documents", "strict_json", "strict_yaml", "stages.table_schema", "inputs", "inputs.paths", "public_by"),
            *("datasets", "datasets.descriptions", "datasets.recipe"),
        )
    }
    return {name for name in loaded - supplied if dependencies.file_of(name) not in declared}


@pytest.mark.parametrize("experiment_id", ["fig5_1", "fig5_3", "fig5_7"])
def test_each_stage_declares_every_module_that_it_loads(experiment_id, tmp_path):
    for stage, command in STAGE_COMMANDS.items():
        assert not undeclared(experiment_id, stage, command, tmp_path, "--set n=50")


def test_a_table_does_not_depend_on_how_it_is_drawn_or_judged():
    for e in experiments().values():
        files = dependencies.stage_files(e.code, "table")
        assert not {path.name for path in files} & {"figure.py", "claims.py", "style.py"}, e.id


# Counts come from files in the workflow, whose rules have these as their own inputs.
SUPPLIED = {f"dpsampling.warlogs.{name}" for name in ("simulator", "reader", "features", "shortcut", "splits")}
SUPPLIED |= {f"dpsampling.inputs{name}" for name in ("", ".paths", ".counts", ".scores")}


@pytest.mark.parametrize(
    ("experiment_id", "more"),
    [("fig4_3", ""), ("fig4_6", " --set epsilons=[1] --set splits=2"), ("states_recovered", " --set repeats=2")],
)
def test_fits_of_event_logs_declare_what_they_load(experiment_id, more, tmp_path):
    small = f"--set rows=0.01 --set iterations=12 --set burn_in=10{more}"
    for stage, command in STAGE_COMMANDS.items():
        assert not undeclared(experiment_id, stage, command, tmp_path, small, SUPPLIED)
