"""What the two pages on foundations show runs, and prints what stands beside it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from conftest import PROJECT

PAGES = {"rev": "docs/foundations.md", "rob": "docs/robust-inference.md"}


def first_example(page):
    return re.search(r"```python\n(.*?)```", (PROJECT / page).read_text(encoding="utf-8"), re.DOTALL).group(1)


@pytest.mark.parametrize("page", PAGES.values())
def test_the_first_example_prints_what_it_says(page, tmp_path):
    code = first_example(page)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=True
    )
    printed = iter(done.stdout.splitlines())
    told = [line.partition("#")[2].strip() for line in code.splitlines() if line.startswith("print")]
    known = [(line, word) for line, word in zip(printed, told, strict=True) if re.match(r"[(\d]", word)]
    assert known
    for line, word in known:
        assert line.startswith(word.partition("…")[0])


@pytest.mark.parametrize(("prefix", "page"), PAGES.items())
def test_every_experiment_is_on_its_page_and_in_the_readme(prefix, page):
    names = [path.stem for path in (PROJECT / "config/experiments").glob(f"{prefix}_*.yaml")]
    assert len(names) >= 5
    text, readme = ((PROJECT / file).read_text(encoding="utf-8") for file in (page, "README.md"))
    for name in names:
        assert f"| `{name}` |" in text
        assert f"ID={name}`" in readme
