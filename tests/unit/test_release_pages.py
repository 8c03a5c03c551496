"""Pages on releases: each command and each piece of Python on them runs, in order, and answers as is shown.

A console block has commands after `$`, and below each what it prints, … for whatever is not the same each time. White
space does not count. Commands get a short quantum here, and nothing else is changed.
"""

import contextlib
import io
import math
import re
import shlex
import subprocess

import pytest

from conftest import PROJECT
from dpsampling.cli import main

DOCS = PROJECT / "docs"
HOW_TOS = ["release-proportion.md", "release-table.md", "release-hmm.md"]
PAGES = [*HOW_TOS, "what-epsilon-means.md", "threat-model.md", "release-faq.md", "glossary.md"]
BLOCK = re.compile(r"^```(console|python|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUANTUM = ["--quantum", "0.05"]


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def commands(block: str) -> list[tuple[str, str]]:
    """Each command of a console block, and what it is said to print."""
    found: list[tuple[str, str]] = []
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            assert found, f"{line} is printed by nothing"
            found[-1] = (found[-1][0], f"{found[-1][1]} {line}")
    return found


def printed_by(command: str, shown: str) -> str:
    """Both streams of a command, of which ours run in this process; it fails where a refusal is shown."""
    program, *arguments = shlex.split(command)
    if program != "dpsampling":
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout
    wait = QUANTUM if arguments[0] == "release" and "--from" not in arguments and "choose" not in arguments else []
    streams = io.StringIO()
    with contextlib.redirect_stdout(streams), contextlib.redirect_stderr(streams):
        code = main([*arguments, *wait])
    assert code == (2 if "above its total" in shown else 0), streams.getvalue()
    return streams.getvalue()


def agree(printed: str, shown: str) -> bool:
    """Whether what was printed is what is shown."""
    if not shown.strip():
        return True
    parts = (re.escape(part.strip()).replace(r"\ ", r"\s+") for part in " ".join(shown.split()).split("…"))
    return re.fullmatch(r"\s*".join([r"\s*", r".*".join(parts), r"\s*"]), printed, re.DOTALL) is not None


def run_python(code: str) -> None:
    """A piece of Python, whose prints begin with what stands beside them."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile(code.replace("budget=3)", "budget=3, quantum=0.05)"), "page", "exec"), {"__name__": "page"})
    told = [line.partition("  # ")[2] for line in code.splitlines() if line.startswith("print(")]
    printed = stream.getvalue().splitlines()
    assert len(told) == len(printed)
    for line, word in zip(printed, told, strict=True):
        assert line.startswith(word.partition("…")[0]), f"{line} is not {word}"


def run_page(page: str) -> int:
    """All blocks of a page; how many."""
    blocks = BLOCK.findall(text(page))
    for language, block in blocks:
        if language == "python":
            run_python(block)
        elif language == "console":
            for command, shown in commands(block):
                printed = printed_by(command, shown)
                assert agree(printed, shown), f"{page}: {command}\nshown: {shown}\nprinted: {printed}"
    return len(blocks)


@pytest.mark.parametrize("page", [p for p in HOW_TOS if (DOCS / p).exists()])
def test_every_block_of_a_how_to_runs_and_prints_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(page) >= 5


def test_a_wrong_output_would_be_seen():
    assert agree("spent 1 of 3\n", "spent 1 of 3")
    assert agree("a: 12 of\n3 b\n", "a: … of 3 b")
    assert not agree("spent 2 of 3\n", "spent 1 of 3")
    assert not agree("a\nb\n", "a")


def moved(suspicion: float, epsilon: float) -> tuple[float, float]:
    """Where a suspicion can fall and rise to, by its odds."""
    odds = suspicion / (1 - suspicion)
    low, high = odds * math.exp(-epsilon), odds * math.exp(epsilon)
    return low / (1 + low), high / (1 + high)


def test_the_table_of_suspicions_is_computed_and_rounded_to_the_safe_side():
    lines = re.findall(r"^\| ([\d.]+) \| ([\d.]+) \| (.+) \|$", text("what-epsilon-means.md"), re.MULTILINE)
    assert len(lines) == 7
    for epsilon, factor, cells in lines:
        assert 0 <= float(factor) - math.exp(float(epsilon)) < 0.01
        for cell, suspicion, digits in zip(cells.split(" | "), (0.01, 0.1, 0.5), (2, 1, 1), strict=True):
            low, high = (float(number) / 100 for number in re.fullmatch(r"([\d.]+)% to ([\d.]+)%", cell).groups())
            least, most = moved(suspicion, float(epsilon))
            assert 0 <= least - low < 10.0 ** -(digits + 2)
            assert 0 <= high - most < 10.0 ** -(digits + 2)


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def headings(page: str) -> list[str]:
    return re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text(page), flags=re.DOTALL), re.MULTILINE)


@pytest.mark.parametrize("page", [p for p in PAGES if (DOCS / p).exists()])
def test_links_to_parts_of_pages_lead_there(page):
    for target, part in re.findall(r"\]\(([\w./-]*\.md)?#([\w-]+)\)", text(page)):
        assert part in map(anchor, headings(target or page)), f"{page} links to {target}#{part}"


def test_the_glossary_is_in_order():
    terms = headings("glossary.md")[1:]
    assert terms == sorted(terms)
    assert len(terms) > 20


@pytest.mark.parametrize("page", [p for p in PAGES if (DOCS / p).exists() and p != "glossary.md"])
def test_each_word_of_the_glossary_that_a_page_uses_is_linked_there_once(page):
    prose = re.sub(r"```.*?```|`[^`]*`|^#.*$", "", text(page), flags=re.DOTALL | re.MULTILINE)
    linked = set(re.findall(r"glossary\.md#([\w-]+)", prose))
    plain = re.sub(r"\]\([^)]*\)", "]", prose).lower()
    spelled = {"epsilon": "ε", "delta": "δ"}
    everyday = {"release", "relation", "state", "card", "add or remove", "replace one"}  # said in passing too
    for term in headings("glossary.md")[1:]:
        word = spelled.get(term, term)
        if term not in everyday and re.search(rf"(?<!\w){re.escape(word)}s?(?!\w)", plain):
            assert anchor(term) in linked, f"{page} says '{word}' and does not link it"


def test_each_line_of_the_threat_model_names_a_test_that_exists():
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", text("threat-model.md"))
    assert len(named) == len(re.findall(r"^\| .* \|$", text("threat-model.md"), re.MULTILINE)) - 1
    for file, test in named:
        content = (PROJECT / "tests" / "unit" / file).read_text(encoding="utf-8")
        assert f"\ndef {test}(" in content, f"{file} has no {test}"
