"""What the documentation shows works as shown."""

from __future__ import annotations

import re
import subprocess
import sys

import pandas as pd

from conftest import PROJECT

BLOCK = re.compile(r"^`([^`\n]+)`(, at its end)?\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_of_extending_md_run(project_copy):
    text = (PROJECT / "docs/extending.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert len(blocks) == 4
    for name, append, code in blocks:
        assert code.count("\n") <= 40, f"{name}: an example is short"
        path = project_copy.folder / name
        path.write_text((path.read_text(encoding="utf-8") if append else "") + code, encoding="utf-8")

    overlay = "run: [mean_shift]\naudit: {orders: [2], epsilons: [0.5], draws: 1000}\n"
    (project_copy.folder / "mine.yaml").write_text(overlay, encoding="utf-8")
    project_copy.run("--configfile", "mine.yaml", "--cores", "2", "quick")

    results = project_copy.folder / "results/quick"
    assert (results / "figures/mean_shift.pdf").exists()
    assert list(pd.read_csv(results / "claims.csv")["verdict"]) == ["reproduced"]
    audit = pd.read_csv(results / "audit.csv").set_index("mechanism")
    assert audit.loc["prior-draw", "verdict"] == "holds"
    assert audit.loc["prior-draw", "epsilon_priced"] < 1e-9
    assert "mean_shift" in (results / "report.html").read_text(encoding="utf-8")


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
