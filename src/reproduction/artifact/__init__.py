"""The artifact appendix: what an evaluator runs, what should come out, and how long it takes, from a results tree."""
