"""The parsed workflow: its targets, what its rules say and call, and the code that a job is made again for."""

import os
import re
import subprocess
import sys

import pytest

from conftest import PROJECT
from dpsampling.datasets import descriptions
from reproduction import code, project
from reproduction.project import experiment, experiments, parts


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
    named = {name for name in rules if not name.startswith(project.JOBS)}
    assert named - set(experiments()) - set(parts()) == project.TARGETS


def test_the_named_targets_exist(rules):
    assert {"all", "report", *parts(), *experiments()} <= set(rules)


def test_every_job_is_one_call_of_the_command_line_and_says_what_it_does(rules):
    for name, rule in rules.items():
        if rule.shellcmd:
            assert rule.message, name
            assert re.match(r"dpsampling [a-z]", rule.shellcmd), name
            assert rule.shellcmd.endswith(" > {log} 2>&1"), name
            assert rule.shellcmd.count("dpsampling") == 1, name
            free = set(re.findall(r"\{((?:params|input)[^}]*)\}", rule.shellcmd))
            assert all(field.endswith(":q") or field in OURS for field in free), name


# What holds numbers, names of ours and files of ours alone.
OURS = {"params.seed", "params.made", "params.absent", "input"}


def test_the_workflow_uses_documented_interfaces_only():
    texts = [path.read_text(encoding="utf-8") for path in (PROJECT / "workflow").rglob("*") if path.is_file()]
    texts += [(PROJECT / "Snakefile").read_text(encoding="utf-8")]
    texts += [path.read_text(encoding="utf-8") for path in (PROJECT / "src").rglob("*.py")]
    for text in texts:
        assert not re.search(r"(?m)^\s*(?:import|from) snakemake", text)
        assert not re.search(
            r"\b(?:workflow|dag|rules|checkpoints)\.(?:_|is_main|iocache|dag_settings|scheduler)", text
        )


LOADED = """
import sys
from dpsampling.cli import main
code = main(sys.argv[1:])
print("\\n".join(name for name in sys.modules if name.split(".")[0] in ("dpsampling", "reproduction")))
raise SystemExit(code)
"""
STAGES = {  # the words of a command, and as the rules have it what it runs
    "table {id} {settings} --out {folder}/t.csv": (
        ["table"],
        ["reproduction.stages.table", "dpsampling.numerics.randomness"],
    ),
    "show {id} --table {folder}/t.csv --figure {folder}/f.png --claims {folder}/c.csv": (
        ["figure", "claims", "releases"],
        ["reproduction.stages.figure", "reproduction.stages.claims", "reproduction.releases"],
    ),
}


@pytest.mark.parametrize("experiment_id", ["fig5_1", "fig5_7"])
def test_a_job_is_made_again_for_every_module_that_it_loads(experiment_id, tmp_path):
    own = f"reproduction.experiments.{experiment(experiment_id).code}"
    for command, (stages, shared) in STAGES.items():
        words = command.format(id=experiment_id, settings="--set n=50", folder=tmp_path).split()
        run = [sys.executable, "-c", LOADED, *words]
        done = subprocess.run(run, cwd=PROJECT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        named = [*(f"{own}.{stage}" for stage in stages), *shared]
        known = code.closure(own, *named) | {code.SOURCES / name for name in code.NO_NUMBERS}
        missing = {name for name in done.stdout.split() if not known & set(code._files(name)[:1])}
        assert not {name for name in missing if not name.startswith(HANDED_OVER)}


# What a command reads its own words by, and what finds and writes down where a table comes from.
HANDED_OVER = (
    *("dpsampling.cli", "dpsampling.datasets", "dpsampling.files", "dpsampling.privacy.public_by"),
    *(f"reproduction.{name}" for name in ("catalogue", "commands", "inputs", "provenance")),
)


def test_a_table_does_not_depend_on_how_it_is_drawn_or_judged():
    for e in experiments().values():
        files = code.closure(f"reproduction.experiments.{e.code}.table", "reproduction.stages.table")
        assert not {path.name for path in files} & {"figure.py", "claims.py", "style.py"}, e.id


def test_with_all_data_sets_the_plan_has_every_job(project_copy):
    """A plan reads no data set: it is enough that the files are there."""
    for name in descriptions.names():
        for place in descriptions.files(descriptions.description(name)):
            (project_copy.folder / place).parent.mkdir(parents=True, exist_ok=True)
            (project_copy.folder / place).touch()
    jobs = project_copy.planned("--cores", "2", "--", "all")
    for begin, count in {"computing": len(experiments()), "drawing and judging": len(experiments())}.items():
        assert sum(job.startswith(begin) for job in jobs) == count
    for begin in ("counting", "fitting", "making the design of mnist38", "drawing classifiers of mnist38", "pricing"):
        assert any(job.startswith(begin) for job in jobs), begin
