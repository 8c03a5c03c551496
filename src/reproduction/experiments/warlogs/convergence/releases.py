"""What the chains show: every private chain, whole, its trace and its last sample."""

from __future__ import annotations

from reproduction.experiments.warlogs.releases import chains_of

releases = chains_of("chains", whole=True)
