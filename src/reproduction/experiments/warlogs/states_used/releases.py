"""What the fits release: every private fit."""

from __future__ import annotations

from reproduction.experiments.warlogs.releases import chains_of

releases = chains_of("repeats")
