"""What the documentation shows works as shown."""

import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from conftest import PROJECT, QUICK, captured

BLOCK = re.compile(r"^`([^`\n]+)`(, at its end)?\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)

NEW = ["weaker_prior", "mean_shift", "horizon", "shares_tradeoff", "wards", "coin_bias"]
OVERLAY = """
run: [fig5_3, fig5_5, weaker_prior, mean_shift, horizon, shares_tradeoff, wards, coin_bias]
audit: {orders: [2], epsilons: [0.5], draws: 1000, mechanisms: [diffused, prior-draw]}
experiments:
  fig5_3: {epsilons: [0.01, 0.1, 1]}
  fig5_5: {epsilons: [0.01, 1], runs: 100}
"""


def test_the_examples_of_extending_md_run(project_copy):
    blocks = BLOCK.findall((PROJECT / "docs/extending.md").read_text(encoding="utf-8"))
    assert len(blocks) == 21
    for name, append, code in blocks:
        assert code.count("\n") <= 40, f"{name}: an example is short"
        path = project_copy.folder / name
        assert path.exists() == bool(append), f"{name} is new, or is appended to"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((path.read_text(encoding="utf-8") if append else "") + code, encoding="utf-8")

    (project_copy.folder / "mine.yaml").write_text(OVERLAY, encoding="utf-8")
    project_copy.run("--configfile", "mine.yaml", *QUICK[2:], "all")

    results = project_copy.folder / "results/quick"
    assert all((results / f"figures/{name}.pdf").exists() for name in NEW)
    claims = pd.read_csv(results / "claims.csv").set_index("id")["verdict"]
    assert claims["mean_shift.falls"] == claims["horizon.closed-form"] == claims["coin_bias.share"] == "reproduced"
    assert claims["weaker_prior.published"] == claims["shares_tradeoff.published"] == "untestable"
    assert claims["weaker_prior.prior"] != "refuted"
    # The mechanism is in the audit of every family, in the trade-off and held-out figures, and in their ledger.
    audit = pd.read_csv(results / "audit.csv")
    of_figures = audit[audit["instance"].str.endswith("as in the figures")].set_index("mechanism")
    assert len(of_figures.loc[["prior-draw"]]) == 3
    assert (of_figures.loc["prior-draw", "verdict"] == "holds").all()
    assert (of_figures.loc["prior-draw", "priced"] < 1e-9).all()
    assert of_figures.loc["diffused", "verdict"] == "holds"
    assert "shares" in of_figures.loc["diffused", "instance"]
    for name in ("fig5_3", "fig5_5", "shares_tradeoff"):
        assert "prior-draw" in set(pd.read_csv(results / f"tables/{name}.csv")["mechanism"])
    prior = pd.read_csv(results / "tables/fig5_3.csv").query("mechanism == 'prior-draw' and variant == 'figure'")
    small = pd.read_csv(results / "tables/fig5_3.csv").query("mechanism == 'diffused' and variant == 'figure'")
    assert abs(prior["kl"] / small["kl_small"].iloc[0] - 1).max() < 1e-9, "quadrature meets the closed form"
    assert pd.read_csv(results / "ledger.csv")["mechanism"].str.startswith("prior-draw").any()
    report = (results / "report.html").read_text(encoding="utf-8")
    assert all(name in report for name in NEW)

    command = [sys.executable, "-m", "dpsampling", "price", "--epsilon", "0.5", "--count", "4"]
    done = captured(command, cwd=project_copy.folder, env=project_copy.environment, check=True)
    assert done.stdout.startswith("2-DP")
    listed = captured(
        [*command[:3], "list", "-v", "weaker_prior"], cwd=project_copy.folder, env=project_copy.environment, check=True
    ).stdout
    assert all(
        word in listed
        for word in ("config/experiments/weaker_prior.yaml", "renyi/tradeoff/table.py", "prior=[3, 10]", "successes=60")
    )


def test_the_three_ways_in_of_the_readme_lead_in(project_copy):
    environment = Path(sys.prefix)
    if not (environment / ".ready").exists():
        pytest.skip("this Python is not the environment that `make` sets up")
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    text = text.partition("## Three ways in")[2].partition("[!WARNING]")[0]
    for name, _, code in BLOCK.findall(text):
        (project_copy.folder / name).write_text(code, encoding="utf-8")
    told = [
        part
        for block in CONSOLE.findall(text.replace("\\\n", ""))
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    assert len(told) == 7
    for command, _, shown in (part.partition("\n") for part in told):
        # -o: the environment is ready, whatever the copy's files' dates say
        ours = re.sub(r"^make ", f"make -o {environment}/.ready VENV={environment} CORES=2 ", command)
        ours = ours.replace(".venv/bin/", f"{environment}/bin/")
        # As a shell has it: a make within a make says which folder it enters.
        outside = {
            name: value for name, value in project_copy.environment.items() if not name.startswith(("MAKE", "MFLAGS"))
        }
        settings = {"cwd": project_copy.folder, "env": outside, "capture_output": True, "text": True}
        done = subprocess.run(ours, shell=True, check=False, **settings)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        assert agree(done.stdout, shown), f"{command}\nshown: {shown}\nprinted: {done.stdout}"


def agree(printed, shown):
    """Whether this is what is shown, where … stands for anything and white space does not count."""
    pattern = r".*".join(re.escape(part) for part in re.split(r"\s*…\s*", " ".join(shown.split())))
    return re.fullmatch(pattern, " ".join(printed.split()), re.DOTALL) is not None


def test_what_is_printed_is_compared_with_what_is_shown():
    assert agree("Done in 3 s.\nSee a.\n", "…\nSee a.\n")
    assert agree("one two\nthree, four\n", "… two three …")
    assert agree("1,2\n", "1,2")
    assert not agree("Done in 3 s.\nSee b.\n", "…\nSee a.\n")
    assert not agree("1,2\n3", "1,2")


def test_the_library_example_runs():
    code = re.search(r"```python\n(.*?)```", (PROJECT / "docs/using.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    done = captured([sys.executable, "-c", code], cwd=PROJECT)
    assert done.returncode == 0, done.stderr
    assert "Rényi DP for orders below" in done.stdout
    assert "1e-06)-DP" in done.stdout


def test_every_link_of_the_documentation_leads_somewhere():
    for page in [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md")), PROJECT / "data/README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", ["README.md", "docs/using.md"])
def test_every_make_target_that_is_named_exists(page):
    targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (PROJECT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`|\$ )make ([a-z][a-z-]+)", text, re.MULTILINE))
    assert len(named) >= 3
    assert named <= targets
