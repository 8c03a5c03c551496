"""Conjugate exponential families: each knows its log-partition, its divergences and its sampler."""
