"""Which claims nothing makes fail: `python tests/perturbations.py [--tables results/tables] [ID …]`.

With a folder of tables those are judged, else tables at the experiments' own parameters are made, which takes long.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import tables as made_here
from reproduction import project, provenance
from reproduction.stages import falsifiability


def found(experiment: str, folder: Path | None) -> list[falsifiability.Falsification]:
    """What came of the claims of one experiment."""
    code = project.experiment(experiment).code
    if folder is None:
        table = made_here.made(experiment)
        return falsifiability.perturb(code, table, table.attrs["parameters"])
    given = provenance.read(folder / f"{experiment}.csv", project.experiment(experiment))
    return falsifiability.perturb(code, given.table, given.parameters)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path)
    parser.add_argument("experiments", nargs="*", metavar="ID")
    options = parser.parse_args()
    for name in options.experiments or project.experiments():
        begin = time.perf_counter()
        for one in found(name, options.tables):
            if one.idle:
                why = f"moved by {one.moved_by}" if one.moved_by else "moved by nothing"
                print(f"{name}.{one.claim.id}: {one.claim.verdict}, flipped by nothing, {why}")
            if one.excuse and one.flipped_by:
                print(f"{name}.{one.claim.id}: excused, but flipped by {one.flipped_by}")
        print(f"# {name}: {time.perf_counter() - begin:.1f} s", file=sys.stderr)
