"""Every learner of this room, by name."""

from __future__ import annotations

from dpsampling.learners import k_means_exposures
from dpsampling.learners.block_k_means import BlockKMeans
from dpsampling.learners.conjugate import NoisyDirichlet
from dpsampling.learners.noisy_lloyd import NoisyLloyd
from dpsampling.mechanisms.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "block-k-means",
        "k means of blocks, mean",
        "orange",
        "DP review 2019 section 5.5",
        BlockKMeans,
        exposed=k_means_exposures.block_means,
    ),
    Entry(
        "smooth-k-means",
        "k means of blocks, smooth sensitivity",
        "teal",
        "DP review 2019 section 5.5",
        BlockKMeans,
        exposed=k_means_exposures.block_medians,
    ),
    Entry(
        "noisy-lloyd",
        "noisy Lloyd",
        "blue",
        "Blum, Dwork, McSherry and Nissim 2005",
        NoisyLloyd,
        exposed=k_means_exposures.noisy_lloyd,
    ),
    Entry(
        "noisy-dirichlet",
        "Dirichlet posterior of noisy counts",
        "wine",
        "DP review 2019 section 5.1",
        NoisyDirichlet,
        exposed=k_means_exposures.posteriors,
    ),
)
