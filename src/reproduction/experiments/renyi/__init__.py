"""Rényi-private posterior sampling: thesis chapter 5."""
