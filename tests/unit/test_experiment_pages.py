"""What the pages on foundations and learners show runs, and prints what stands beside it."""

import re
import sys

import pytest

from conftest import PROJECT, captured

PAGES = [*sorted(path.relative_to(PROJECT) for path in PROJECT.glob("docs/learners*.md"))]
PAGES = ["docs/foundations.md", "docs/robust-inference.md", *map(str, PAGES)]
SHOWN = re.compile(r"^(rev|rob)_")  # experiments that a page has a line about


@pytest.mark.parametrize("page", PAGES)
def test_the_first_example_prints_what_it_says(page, tmp_path):
    code = re.search(r"```python\n(.*?)```", (PROJECT / page).read_text(encoding="utf-8"), re.DOTALL)[1]
    printed = iter(captured([sys.executable, "-c", code], cwd=tmp_path, check=True).stdout.splitlines())
    told = [line.partition("#")[2].strip() for line in code.splitlines() if line.startswith("print")]
    known = [(line, word) for line, word in zip(printed, told, strict=True) if re.match(r"[(\d]", word)]
    assert known
    for line, word in known:
        assert line.startswith(word.partition("…")[0])


def test_every_experiment_is_on_a_page_and_in_the_readme():
    names = [path.stem for path in (PROJECT / "config/experiments").glob("*.yaml") if SHOWN.match(path.stem)]
    assert len(names) >= 10
    pages = "".join((PROJECT / page).read_text(encoding="utf-8") for page in PAGES)
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    for name in names:
        assert f"| `{name}` |" in pages
        assert f"ID={name}`" in readme
