"""What the documentation shows works as shown."""

from __future__ import annotations

import re
import subprocess
import sys

import pandas as pd

from conftest import PROJECT

BLOCK = re.compile(r"^`([^`\n]+)`(, at its end)?\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


NEW = ["weaker_prior", "mean_shift", "horizon", "shares_tradeoff", "wards", "coin_bias"]
OVERLAY = """
run: [fig5_3, fig5_5, weaker_prior, mean_shift, horizon, shares_tradeoff, wards, coin_bias]
audit: {orders: [2], epsilons: [0.5], draws: 1000, mechanisms: [diffused, prior-draw]}
experiments:
  fig5_3: {epsilons: [0.01, 0.1, 1]}
  fig5_5: {epsilons: [0.01, 1], runs: 100}
"""


def test_the_examples_of_extending_md_run(project_copy):
    text = (PROJECT / "docs/extending.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert len(blocks) == 21
    for name, append, code in blocks:
        assert code.count("\n") <= 40, f"{name}: an example is short"
        path = project_copy.folder / name
        assert path.exists() == bool(append), f"{name} is new, or is appended to"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((path.read_text(encoding="utf-8") if append else "") + code, encoding="utf-8")

    (project_copy.folder / "mine.yaml").write_text(OVERLAY, encoding="utf-8")
    project_copy.run("--configfile", "mine.yaml", "--cores", "2", "quick")

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
    done = subprocess.run(
        command, cwd=project_copy.folder, env=project_copy.environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("2-DP")
    listed = subprocess.run(
        [*command[:3], "list", "-v", "weaker_prior"],
        cwd=project_copy.folder,
        env=project_copy.environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert all(
        word in listed
        for word in ("config/experiments/weaker_prior.yaml", "renyi/tradeoff/table.py", "prior=[3, 10]", "successes=60")
    )


def test_the_library_example_of_the_readme_runs():
    code = re.search(r"```python\n(.*?)```", (PROJECT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Rényi DP for orders below" in done.stdout
    assert "1e-06)-DP" in done.stdout


def test_every_link_of_the_documentation_leads_somewhere():
    for page in [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md")), PROJECT / "data/README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_make_target_of_the_readme_exists():
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(
        re.findall(r"(?:^|`)make ([a-z][a-z-]+)", (PROJECT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert len(named) >= 4
    assert named <= targets
