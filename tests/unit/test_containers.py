"""The recipes of containers: what they start from, who runs in them, and that all they name is there.

No image was built from them on the machine where they were written, which reaches no registry; so what can be checked
without one is checked here, and by a linter in tests/machines/test_judges.py.
"""

import re
import tomllib

import pytest

from conftest import PROJECT, tracked_files

DIGEST = r"sha256:[0-9a-f]{64}"
SETUP_READS = {"Makefile", "pyproject.toml", "requirements.lock", "src"}
# What `make quick` and `make verify` read besides: configuration, rules, and what the library finds at its root.
RUN_READS = {"CITATION.cff", "Snakefile", "config", "workflow", "data/inventory", "data/published"}
WORDS = {"FROM", "RUN", "COPY", "WORKDIR", "USER", "CMD", "ARG", "ENV", "LABEL"}


def read(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def instructions(recipe: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, each on one line."""
    joined = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^\s*#.*\n", "", recipe))
    return [(line.split(maxsplit=1)[0], line.split(maxsplit=1)[1]) for line in joined.splitlines() if line.strip()]


def sections(recipe: str) -> dict[str, str]:
    """The sections of an Apptainer definition, and under the empty name its head, without comments."""
    parts = re.split(r"(?m)^%(\w+)\n", re.sub(r"(?m)^\s*#.*\n", "", recipe))
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def made(words: str) -> set[str]:
    """The make targets that a line of shell asks for."""
    return set(re.findall(r"\bmake ([a-z-]+)", words))


def targets() -> set[str]:
    return set(re.findall(r"(?m)^([a-z-]+):", read("Makefile")))


def faults_of_dockerfile(recipe: str) -> list[str]:
    found = []
    user = ""
    stages: set[str] = set()
    for word, rest in instructions(recipe):
        if word not in WORDS:
            found.append(f"{word} is no instruction that is used here")
        if word == "FROM":
            image = rest.split()[0]
            if image not in stages and not re.fullmatch(rf"python:3\.\d+\.\d+-slim-bookworm@{DIGEST}", image):
                found.append(f"{image} is not pinned")
            if image not in stages:
                user = ""
            stages |= set(re.findall(r" AS (\w+)", rest))
        if word == "USER":
            user = rest
        if word == "COPY":
            sources = [each for each in rest.split() if not each.startswith("--")][:-1]
            found += [f"{source} is not there" for source in sources if not (PROJECT / source).exists()]
        if word == "CMD" and not rest.startswith("["):
            found.append("the command goes through a shell")
        spoken = rest.replace('", "', " ").replace('"', "")
        if word in {"RUN", "CMD"}:
            found += [f"make has no {target}" for target in made(spoken) - targets()]
            if made(spoken) and user in {"", "root", "0"}:
                found.append(f"root runs: {rest}")
    return found


def faults_of_definition(recipe: str) -> list[str]:
    parts = sections(recipe)
    lacking = {"files", "post", "environment", "runscript", "test"} - parts.keys()
    found = [f"there is no section {name}" for name in sorted(lacking)]
    head = dict(re.findall(r"(?m)^(\w+): (.*)$", parts[""]))
    if head.get("Bootstrap") != "docker" or not re.fullmatch(rf"python@{DIGEST}", head.get("From", "")):
        found.append("it does not start from a pinned image")
    pairs = [line.split() for line in parts.get("files", "").splitlines() if line.strip()]
    found += [f"{source} is not there" for source, _ in pairs if not (PROJECT / source).exists()]
    found += [f"{source} goes elsewhere" for source, place in pairs if place != f"/opt/dpsampling/{source}"]
    found += [f"{name} is not copied" for name in sorted((SETUP_READS | RUN_READS) - {source for source, _ in pairs})]
    found += [f"make has no {target}" for target in made("\n".join(parts.values())) - targets()]
    return found


def test_both_name_a_pinned_image_what_is_there_and_all_that_a_run_reads_and_no_root():
    recipe, definition = read("Dockerfile"), read("apptainer.def")
    assert faults_of_dockerfile(recipe) == faults_of_definition(definition) == []
    assert {"setup", "quick", "verify"} <= made(recipe)
    assert 'exec make "${@:-quick}"' in sections(definition)["runscript"]


PLANTED_DOCKER = {
    "python:latest is not pinned": lambda t: re.sub(r"python:3\S+", "python:latest", t),
    "nothing.txt is not there": lambda t: t.replace("reader . .", "reader nothing.txt ."),
    "make has no qiuck": lambda t: t.replace('["make", "quick"]', '["make", "qiuck"]'),
    "root runs: make setup PYTHON=python3 && mkdir -p results": lambda t: t.replace("USER 1000\n", ""),
}
PLANTED_APPTAINER = {
    "it does not start from a pinned image": lambda t: re.sub(r"From: \S+", "From: python:3.11", t),
    "requirements.lock is not copied": lambda t: re.sub(r"    requirements.lock.*\n", "", t),
    "there is no section post": lambda t: t.replace("%post", "%setup"),
    "config goes elsewhere": lambda t: t.replace("/opt/dpsampling/config", "/opt/config"),
}


@pytest.mark.parametrize("fault", [*PLANTED_DOCKER, *PLANTED_APPTAINER])
def test_a_planted_fault_is_seen(fault):
    if fault in PLANTED_DOCKER:
        assert fault in faults_of_dockerfile(PLANTED_DOCKER[fault](read("Dockerfile")))
    else:
        assert fault in faults_of_definition(PLANTED_APPTAINER[fault](read("apptainer.def")))


def test_both_start_from_the_same_image_whose_python_is_promised():
    (digest,) = set(re.findall(DIGEST, read("Dockerfile")))
    assert {digest} == set(re.findall(DIGEST, read("apptainer.def")))
    version = re.search(r"python:(3\.\d+)\.", read("Dockerfile"))[1]
    classifiers = tomllib.loads(read("pyproject.toml"))["project"]["classifiers"]
    assert f"Programming Language :: Python :: {version}" in classifiers


def test_what_is_left_out_of_the_image_is_nothing_of_the_project():
    """A pattern of .dockerignore is a folder that git ignores as well, in its simplest form."""
    left = [line.removeprefix("**/") for line in read(".dockerignore").splitlines() if line and line[0] != "#"]
    own = {str(path) for path in tracked_files()}
    for pattern in left:
        word = re.escape(pattern).replace(r"\*", r"[^/]*")
        assert not [name for name in own if re.match(rf"(.*/)?{word}(/|$)", name)], pattern
