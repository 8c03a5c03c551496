"""Every command and every piece of Python in docs/ is tried: run in order, run by a test of its own, or understood."""

import re
import shlex

import pytest
from test_release_pages import BLOCK, run_page, text

from conftest import PROJECT
from dpsampling import cli
from dpsampling.errors import InputError

DOCS = PROJECT / "docs"
IN_ORDER = [
    "amplification.md", "api.md", "check-a-claim.md", "noisy-statistics.md", "prior-rebalancing.md",
    "public-mechanisms.md",
]  # fmt: skip
LONG = ["audit.md"]  # half a minute on an idle core
ELSEWHERE = {  # what runs them, for they need more than an empty folder
    "datasets.md": "workflow/test_datasets.py::test_the_example_of_datasets_md_runs_and_its_rows_stay_private",
    "event-logs.md": "unit/test_warlog_many_files.py::test_what_the_page_shows_runs_and_prints_what_it_shows",
    "extending.md": "workflow/test_documentation.py::test_the_examples_of_extending_md_run",
    "foundations.md": "unit/test_experiment_pages.py::test_the_first_example_prints_what_it_says",
    "using.md": "workflow/test_documentation.py::test_the_library_example_runs",
    "robust-inference.md": "unit/test_foundations_session.py::test_the_examples_of_the_documentation_run",
    **{
        page.name: "unit/test_experiment_pages.py::test_the_first_example_prints_what_it_says"
        for page in DOCS.glob("learners*.md")
    },
    **{
        page.name: "unit/test_release_pages.py::test_every_block_of_a_how_to_runs_and_prints_what_it_shows"
        for page in DOCS.glob("release-*.md")
        if page.name != "release-faq.md"
    },
}
ONE_EXAMPLE = re.compile(r"learners|foundations")  # of which the test runs the first
SHELL = re.compile(r"^```shell\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Not ours; those of a cluster are run by test-cluster.
OTHERS = {"git", "source", "snakemake", "squeue", "scancel", "scontrol"}


def pages() -> list[str]:
    return sorted(page.name for page in DOCS.glob("*.md"))


@pytest.mark.parametrize("page", [*IN_ORDER, *(pytest.param(page, marks=pytest.mark.slow) for page in LONG)])
def test_every_block_of_a_page_runs_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(page) >= 1


def test_no_page_shows_what_no_test_runs():
    runnable = {page for page in pages() if any(kind != "yaml" for kind, _ in BLOCK.findall(text(page)))}
    assert runnable == {*IN_ORDER, *LONG, *ELSEWHERE}
    for named in set(ELSEWHERE.values()):
        file, test = named.split("::")
        assert f"\ndef {test}(" in (PROJECT / "tests" / file).read_text(encoding="utf-8"), named
    for page in filter(ONE_EXAMPLE.match, pages()):
        assert len(BLOCK.findall(text(page))) == 1, f"{page} has a block that nothing runs"


def test_no_command_hides_in_a_block_that_nothing_looks_at():
    hidden = re.compile(
        r"^ *(\$ |\.venv/bin/)?(dpsampling [a-z]+ |from dpsampling|import dpsampling|make [a-z-]+$)", re.M
    )
    for page in pages():
        unlabelled = re.sub(r"^```\w+\n.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)
        shown = "\n".join(re.findall(r"^(?: {4}.*|```\n(?:.*\n)*?```)$", unlabelled, re.MULTILINE))
        assert not (found := hidden.search(shown)), f"{page}: {found[0]}"


@pytest.mark.parametrize("page", [page for page in pages() if SHELL.search((DOCS / page).read_text("utf-8"))])
def test_what_is_shown_and_not_run_would_be_understood(page):
    """A network, a cluster or hours are not at hand: the words are looked at."""
    targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for block in SHELL.findall(text(page)):
        for line in block.splitlines():
            program, *words = shlex.split(line, comments=True)
            if program == "dpsampling":
                assert cli._parser(words).parse_args(words)
            elif program == "make":
                assert words[0] in targets, line
            else:
                assert program in OTHERS, line


def test_a_command_that_is_not_ours_would_be_seen():
    for words in (["fetsh", "adult"], ["design", "adult"]):
        with pytest.raises(InputError):
            cli._parser(words).parse_args(words)
