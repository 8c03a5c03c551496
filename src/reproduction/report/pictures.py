"""Figures as they stand in the page: as wide as a reader sees them, in few bytes, the same for the same file."""

from __future__ import annotations

import base64
import io
from pathlib import Path

from PIL import Image

from dpsampling.files import CAPTION
from reproduction.report.view import Picture

WIDTH = 720  # pixels
QUALITY = 45  # of WebP: lines and letters stay clear, and a hundred figures stay below 3 MB
ENOUGH = 30_000  # bytes; a larger one is made coarser
COARSE = 25


def embedded(path: Path) -> Picture | None:
    """The image, or None where the file is missing or is no PNG image."""
    try:
        with Image.open(io.BytesIO(path.read_bytes()), formats=("PNG",)) as opened:
            told = getattr(opened, "text", {})
            image = opened.convert("RGB")
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    if image.width > WIDTH:
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
    content = _webp(image, QUALITY)
    if len(content) > ENOUGH:
        content = _webp(image, COARSE)
    uri = "data:image/webp;base64," + base64.b64encode(content).decode("ascii")
    return Picture(uri, image.width, image.height, str(told.get(CAPTION, "")))


def _webp(image: Image.Image, quality: int) -> bytes:
    out = io.BytesIO()
    image.save(out, "WEBP", quality=quality, method=4)
    return out.getvalue()
