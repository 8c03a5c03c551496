"""`dpsampling amplification …`: what post-processing adds to a guarantee."""

HELP = "what post-processing adds to a guarantee"
