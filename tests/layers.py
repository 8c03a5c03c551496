"""The rooms of the library from the ground up: what stands in one line may import what stands in it or above it."""

LAYERS = (
    ("errors",),
    ("regular_files",),
    ("strict_csv", "strict_json", "strict_yaml"),
    ("grids", "files", "randomness", "documents", "declarations", "claims", "style", "legible"),
    ("schemas",),
    ("statements",),
    ("numerics",),
    ("exact",),
    ("families",),
    ("privacy",),
    ("mechanisms",),
    ("amplification", "profiles", "warlogs", "specimens", "logistic", "foundations", "learners", "datasets"),
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
        "dependencies",
        "collect",
        "comparison",
        "progress",
        "records",
        "settled",
        "verification",
        "registry",
        "audit",
        "artifact",
        "citation",
        "crate",
        "report",
    ),
    ("outputs", "printing", "commands", "cli", "__main__"),
)
ROOM_OF = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
# What finds, checks and hands over what the workflow already tracks as parameters, inputs and outputs.
FRONT_DOOR = {"dpsampling", "schemas", *LAYERS[-1], *LAYERS[-2]} - {"registry", "audit"}
