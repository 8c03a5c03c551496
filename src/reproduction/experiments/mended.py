"""A statement of a source that does not hold beside one that does, by the errors of both."""

from __future__ import annotations

from typing import Unpack

from reproduction.claims import Claim, Marks, corrected


def mended(
    id: str,
    source: str,
    statement: str,
    correction: str,
    errors: tuple[float, float],
    *,
    tolerance: float,
    slip: bool,
    **marks: Unpack[Marks],
) -> Claim:
    """`corrected` by two `errors`: of the statement as printed, and as corrected."""
    return corrected(
        id,
        source,
        statement,
        correction=correction,
        error_as_printed=errors[0],
        error_as_corrected=errors[1],
        tolerance=tolerance,
        slip=slip,
        **marks,
    )
