"""Run the workflow with its profile, one run at a time.

Snakemake's own lock outlives a killed run and then has to be removed by hand. The lock here is held by the operating
system for as long as the process lives, so a killed run can simply be started again.
"""

from __future__ import annotations

import fcntl
import os
import sys
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from jobs import here

PROJECT = Path(__file__).parents[1]


def profile_folder(name: str) -> Path:
    """A profile by its name in workflow/profiles/, or a folder of one's own."""
    for folder in (Path("workflow/profiles") / name, Path(name).expanduser()):
        if (folder / "profile.yaml").is_file() or (folder / "config.yaml").is_file():
            return folder
    known = ", ".join(sorted(path.name for path in Path("workflow/profiles").iterdir()))
    return refuse(f"there is no profile '{name}'; use one of {known}, or the path of a folder with a profile.yaml")


def profile_options(names: str) -> list[str]:
    """The engine's options for one profile, or for several of which the later are laid over the earlier."""
    *below, top = [str(profile_folder(name)) for name in names.split() or ["default"]]
    return [*(option for profile in below for option in ("--profile", profile)), "--workflow-profile", top]


def with_overlays_read(arguments: list[str]) -> list[str]:
    """The arguments, every --configfile as an absolute path that was read once: the engine would fail at length."""
    from dpsampling.documents import read_yaml
    from dpsampling.errors import InputError

    kept, rest = [], list(arguments)
    while rest:
        option = rest.pop(0)
        if option != "--configfile" or not rest:
            kept.append(option)
            continue
        path = Path(os.path.realpath(rest.pop(0)))
        try:
            if read_yaml(path):  # an empty overlay changes nothing
                kept += [option, str(path)]
        except InputError as error:
            refuse(str(error).removesuffix("."))
    return kept


def check_library() -> None:
    """Refuse to compute with another checkout's code, which PYTHONPATH or another environment may bring in."""
    from dpsampling import documents  # of any age: `dpsampling job` checks the same, where a library has it

    if documents.root().resolve() != PROJECT.resolve():
        refuse(
            f"the library is that of {documents.root()}, and the workflow that of {PROJECT}; unset PYTHONPATH, or set "
            "up an environment here with 'make setup'"
        )


def check_places() -> None:
    """Refuse to start where results could not be written."""
    for place in (Path("results"), Path(".snakemake")):
        if place.exists() and not place.is_dir():
            refuse(f"{place} is not a folder; move it away, for it is made by the workflow")
        if not os.access(place if place.exists() else PROJECT, os.W_OK | os.X_OK):
            refuse(
                f"{PROJECT / place} cannot be written by you; change its permissions, or clone the project elsewhere"
            )
    Path(".snakemake").mkdir(exist_ok=True)


def refuse(reason: str) -> NoReturn:
    """One sentence and exit code 2."""
    print(f"dpsampling: {reason}.", file=sys.stderr)
    raise SystemExit(2)


def main() -> None:
    """Take the lock; where anything has changed since it was last all done, run Snakemake."""
    check_library()
    arguments = with_overlays_read(sys.argv[1:])
    os.chdir(PROJECT)
    check_places()
    if not os.access(os.environ.get("HOME", ""), os.W_OK):  # where the engine and matplotlib keep what they need again
        os.environ["XDG_CACHE_HOME"] = os.environ["MPLCONFIGDIR"] = str(Path(".snakemake/cache").resolve())
    lock = os.open(".snakemake/dpsampling.lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        refuse("another run is at work in this folder; wait for it, or clone the project elsewhere")
    binaries = Path(sys.executable).parent
    os.environ["PATH"] = f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}"  # the rules call `dpsampling`
    profiles = profile_options(os.environ.get("PROFILE", "default"))
    raise SystemExit(run(arguments, profiles))


def run(arguments: list[str], profiles: list[str]) -> int:
    """The engine's exit code, in this process, which holds the lock; 0 at once where all is as a run left it."""
    from dpsampling import settled

    asked = settled.asked(arguments, profiles)
    plain = settled.is_plain(arguments)
    said = settled.still(asked) if plain else None
    if said is not None:
        print("Nothing to be done (all requested files are present and up to date).", *said, sep="\n", file=sys.stderr)
        return 0
    before = settled.state(settled.DECIDES)
    with here.jobs() if works_here(arguments) else nullcontext():
        code = engine(["--nolock", *profiles, *progress(arguments), *arguments])
    if plain and code == 0:
        overlays = [path for option, path in pairwise(arguments) if option == "--configfile"]
        settled.settle(asked, before, [*overlays, *profiles[1::2]])
    return code


SAYS = {"-n", "--dry-run", "--dryrun", "--report", "--unlock", "--summary", "--lint"}  # what would be done, or was


def progress(arguments: list[str]) -> list[str]:
    """One line that moves in the place of the engine's many, where it does something."""
    return [] if (SAYS | {"--logger"}) & set(arguments) else ["--logger", "oneline"]


def works_here(arguments: list[str]) -> bool:
    """Whether jobs are run, and by this machine itself."""
    return not (SAYS | {"--executor"}) & set(arguments) and os.environ.get("PROFILE", "default") in ("", "default")


def engine(options: list[str]) -> int:
    """Snakemake's main function, as its own command calls it."""
    sys.path[0] = str(PROJECT / "workflow/plugins")  # and not this file's folder, whose names are none of modules
    from snakemake.cli import main as snakemake

    sys.argv = ["snakemake", *options]
    try:
        snakemake()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


if __name__ == "__main__":
    main()
