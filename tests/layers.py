"""The rooms of the library from the ground up: what stands in one line may import what stands in it or above it."""

from __future__ import annotations

from dpsampling import code

LAYERS = (
    ("errors",),
    ("regular_files",),
    ("strict_csv", "strict_json", "strict_yaml"),
    ("grids", "files", "randomness", "documents", "public_by", "claims", "style", "axis_words"),
    ("schemas",),
    ("statements",),
    ("numerics",),
    ("exact",),
    ("families",),
    ("privacy",),
    ("mechanisms",),
    ("amplification", "profiles", "warlogs", "known_mechanisms", "logistic", "foundations", "learners", "datasets"),
    ("releases",),
    ("experiments",),
    ("stages", "inputs"),
    ("sklearn",),  # for users: nothing else in the library may import it
    ("release",),  # of somebody's own data
    (
        "parameters",
        "project",
        "config",
        "provenance",
        "code",
        "collect",
        "sums",
        "comparison",
        "verification",
        "registry",
        "audit",
        "artifact",
        "citation",
        "crate",
        "report",
    ),
    ("outputs", "stdio", "commands", "cli", "__main__"),
)
ROOM_OF = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
# What finds, checks and hands over what the workflow already tracks as parameters, inputs and outputs.
FRONT_DOOR = {"dpsampling", "schemas", *LAYERS[-1], *LAYERS[-2]} - {"registry", "audit"}


def imports(module: str) -> set[str]:
    """The library's modules that one of them imports."""
    place = code.PACKAGE.joinpath(*module.split(".")[1:])
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    found = {path.relative_to(code.PACKAGE.parent).with_suffix("").parts for path in code._imports(path)}
    return {".".join(parts).removesuffix(".__init__") for parts in found} - {module}
