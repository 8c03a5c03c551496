"""The wheel and the source archive: what a stranger installs who has no checkout, and nothing of this environment."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from conftest import PROJECT, Copy, captured
from dpsampling import files
from dpsampling.cli import parsing
from reproduction import project

pytestmark = pytest.mark.slow

PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROFILES = "profile,tea,coffee\nann,.2,.8\nbob,.4,.6\n"
EDGES = "from,to\nann,bob\n"
ROWS = "Ward,Severity\n" + "".join(
    f"{'North' if i % 2 else 'South'},{'mild' if i % 3 else 'severe'}\n" for i in range(60)
)
BY_ROW = "--unit row --epsilon 1 --budget 3 --quantum 0.05"


def clean_words() -> dict[str, str]:
    """The environment without what would find a checkout."""
    return {name: word for name, word in os.environ.items() if not name.startswith(("PYTEST", "PYTHON", "VIRTUAL_"))}


def build(folder: Path, out: Path) -> Path:
    """The wheel of a folder that holds the project, by the tools that are here."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = captured([*command, "--wheel-dir", str(out), str(folder)], cwd=PROJECT, env=clean_words())
    assert done.returncode == 0, done.stderr
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def reproduction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the reproduction, of a copy of the project's own files."""
    folder = tmp_path_factory.mktemp("reproduction")
    return build(Copy(folder / "project").folder / "src", folder / "wheel")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The library's wheel of a copy of the project's own files, and their archive."""
    folder = tmp_path_factory.mktemp("built")
    copy = Copy(folder / "project").folder
    wheel = build(copy, folder / "wheel")
    pack = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder / "sdist")]
    subprocess.run(pack, cwd=copy, env=clean_words(), check=True, capture_output=True)
    (archive,) = (folder / "sdist").glob("*.tar.gz")
    return wheel, archive


def needed(declared: list[str]) -> set[str]:
    """The distributions that requirements ask for, and those that these ask for in turn, of what is installed."""
    found: set[str] = set()
    asked = list(declared)
    while asked:
        line = asked.pop()
        name = re.sub(r"[-_.]+", "-", re.match(r"[A-Za-z0-9_.-]+", line)[0]).lower()
        if name in found or ("extra" in line.partition(";")[2]):
            continue
        try:
            asked += metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # for another system or an older Python
        found.add(name)
    return found


def installed(tmp: Path, distributions: set[str] | None, *wheels: Path) -> Path:
    """An environment with the wheels in it, beside all that is installed here, or some distributions alone."""
    environment = tmp / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    (site,) = environment.glob("lib/python3*/site-packages")
    here = Path(metadata.distribution("numpy").locate_file(""))
    if distributions is None:
        libraries = here  # a folder that a .pth file names has its own .pth files left alone: no editable install
    else:
        libraries = tmp / "libraries"
        libraries.mkdir()
        for name in distributions:
            for file in metadata.distribution(name).files or []:
                if file.parts[0] not in {"..", "__pycache__"} and not (libraries / file.parts[0]).exists():
                    (libraries / file.parts[0]).symlink_to(here / file.parts[0])
    (site / "libraries.pth").write_text(f"{libraries}\n", encoding="utf-8")
    install = [sys.executable, "-m", "pip", "--python", str(environment / "bin/python"), "install", "--quiet"]
    install += ["--no-deps", "--no-index", "--no-compile", "--ignore-installed", *map(str, wheels)]
    done = subprocess.run(install, env=clean_words(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return environment / "bin"


@pytest.fixture(scope="module")
def bare(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with what the wheel depends on, and no extra."""
    return installed(tmp_path_factory.mktemp("bare"), needed(PYPROJECT["dependencies"]), built[0])


@pytest.fixture(scope="module")
def whole(built: tuple[Path, Path], reproduction: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Those of one with the reproduction too, and every extra."""
    return installed(tmp_path_factory.mktemp("whole"), None, built[0], reproduction)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is nobody's checkout."""
    return tmp_path_factory.mktemp("elsewhere")


def run(programs: Path, folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    return captured([programs / "dpsampling", *words.split()], cwd=folder, env=clean_words(), seconds=300)


def works(programs: Path, folder: Path, words: str) -> str:
    done = run(programs, folder, words)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def test_the_archive_builds_the_same_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    wheel, archive = built
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    again = build(folder, tmp_path / "wheel")
    assert (again.name, files.checksum(again)) == (wheel.name, files.checksum(wheel))


def test_the_archive_holds_the_project_and_nothing_made(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[1]) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {"Makefile", "Snakefile", "requirements.lock", "LICENSE", "CITATION.cff", "workflow/run.py"} <= names
    assert not [name for name in names if name.startswith(("results", ".venv", "private", "data/raw"))]


def test_the_wheels_hold_what_their_commands_read(built: tuple[Path, Path], reproduction: Path) -> None:
    with zipfile.ZipFile(built[0]) as packed, zipfile.ZipFile(reproduction) as above:
        library, thesis = set(packed.namelist()), set(above.namelist())
    assert not library & thesis
    assert not [name for name in library if name.startswith("reproduction/")]
    for folder in ("config", "data/published", "data/inventory"):
        own = [path for path in (PROJECT / folder).rglob("*") if path.is_file()]
        assert own
        assert {f"dpsampling/_project/{path.relative_to(PROJECT)}" for path in own} <= library | thesis
    for package, names in (("dpsampling", library), ("reproduction", thesis)):
        own = [path for path in (PROJECT / "src" / package).rglob("*") if "__pycache__" not in path.parts]
        assert {str(path.relative_to(PROJECT / "src")) for path in own if path.is_file()} <= names


def test_the_library_alone_knows_nothing_of_the_thesis(bare: Path, elsewhere: Path) -> None:
    commands = works(bare, elsewhere, "--help")
    assert "audit" in commands
    assert "\n    table " not in commands
    assert run(bare, elsewhere, "list").returncode == 2


def test_what_is_installed_is_what_runs(bare: Path, elsewhere: Path) -> None:
    code = "import dpsampling, dpsampling.files.documents as d, sys; print(dpsampling.__file__, d.root(), sys.prefix)"
    told = captured([bare / "python", "-c", code], cwd=elsewhere, env=clean_words(), check=True)
    module, root, prefix = map(Path, told.stdout.split())
    assert prefix == bare.parent
    assert module.is_relative_to(bare.parent)
    assert root == module.parent / "_project"
    assert works(bare, elsewhere, "--version").split()[1] == PYPROJECT["version"]


def test_one_experiment_from_the_list_to_its_claims(whole: Path, elsewhere: Path) -> None:
    assert works(whole, elsewhere, "list").count("\n") >= len(project.names())
    assert "prior" in works(whole, elsewhere, "list -v fig5_3")
    settings = " ".join(f"--set={option}" for option in parsing.settings(project.experiment("fig5_3").smallest))
    settings = settings.replace(", ", ",")
    works(whole, elsewhere, f"table fig5_3 {settings} --out t.csv")
    works(whole, elsewhere, "figure fig5_3 --table t.csv --out t.pdf")
    works(whole, elsewhere, "claims fig5_3 --table t.csv --out c.csv --errata e.csv")
    assert (elsewhere / "t.pdf").read_bytes().startswith(b"%PDF")
    assert (elsewhere / "c.csv").read_text(encoding="utf-8").startswith("id,experiment,source")
    checkout = [sys.executable, "-m", "dpsampling", "table", "fig5_3", *settings.split(), "--out", "checkout.csv"]
    here = clean_words() | {"PYTHONPATH": str(PROJECT / "src")}
    subprocess.run(checkout, cwd=elsewhere, env=here, check=True, capture_output=True)
    assert (elsewhere / "t.csv").read_bytes() == (elsewhere / "checkout.csv").read_bytes()


def test_two_trees_are_compared(whole: Path, tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name / "tables").mkdir(parents=True)
        works(whole, tmp_path, f"table fig5_2 --set orders=[2] --set scales=[1] --out {name}/tables/fig5_2.csv")
        works(whole, tmp_path, f"claims fig5_2 --table {name}/tables/fig5_2.csv --out {name}/claims.csv")
    works(whole, tmp_path, "compare old new")
    table = tmp_path / "new/tables/fig5_2.csv"
    table.write_text(re.sub(r"(?m)[1-8]$", "9", table.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    assert run(whole, tmp_path, "compare old new").returncode == 1


def test_rows_are_released_explained_and_verified(whole: Path, elsewhere: Path) -> None:
    (elsewhere / "rows.csv").write_text(ROWS, encoding="utf-8")
    words = f"release proportion rows.csv --column Severity --yes severe --no mild {BY_ROW} --out share"
    works(whole, elsewhere, words)
    assert "WHO IS PROTECTED" in works(whole, elsewhere, "explain share")
    works(whole, elsewhere, "verify share")


def test_profiles_and_kernels_of_ones_own(bare: Path, elsewhere: Path) -> None:
    (elsewhere / "P.csv").write_text(PROFILES, encoding="utf-8")
    (elsewhere / "E.csv").write_text(EDGES, encoding="utf-8")
    (elsewhere / "K.csv").write_text(".5,.5\n.4,.6\n", encoding="utf-8")
    (elsewhere / "stream.csv").write_text("profile,observation\nann,tea\n", encoding="utf-8")
    works(bare, elsewhere, "profiles solve --profiles P.csv --edges E.csv --epsilon 1 --out m.json")
    assert works(bare, elsewhere, "profiles release --mechanism m.json --observations stream.csv")
    assert works(bare, elsewhere, "amplification kernel --kernel K.csv --epsilon 1")


def test_without_scikit_learn_its_estimators_say_so(bare: Path, elsewhere: Path) -> None:
    done = captured([bare / "python", "-c", "import dpsampling.sklearn"], cwd=elsewhere, env=clean_words())
    assert done.stderr.splitlines()[-1].endswith("pip install 'dpsampling[sklearn]'.")


def test_beside_everything_that_is_installed_here_the_wheel_is_still_what_runs(whole: Path, elsewhere: Path) -> None:
    code = "import numba, dpsampling; print(dpsampling.__file__)"
    told = captured([whole / "python", "-c", code], cwd=elsewhere, env=clean_words(), check=True)
    assert Path(told.stdout.strip()).is_relative_to(whole.parent)
