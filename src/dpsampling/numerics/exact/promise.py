"""What a release promises in bits: the one place of these words."""

PROMISE = (
    "Each number is ⌊2ᵇθ⌋ of one ideal draw at exact parameters; every decision was certified by interval arithmetic "
    "on fresh bits of the operating system, so the release carries the mechanism's whole guarantee, nothing added for "
    "rounding, for any number of releases. It rests on those bits being indistinguishable from fair ones, on FLINT's "
    "enclosures and the machine, and on the stated neighbours, unit and public inputs. It says nothing about running "
    "time, memory or files left behind."
)
