"""What the fits release: each of every split; ways to use the same noisy counts share them."""

from __future__ import annotations

from reproduction.experiments.warlogs.releases import chains_of

releases = chains_of("splits")
