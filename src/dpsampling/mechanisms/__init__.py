"""Mechanisms: each knows how to spend ε, and carries its guarantee, its sampler and its worst neighbouring pair."""
