"""Prices and attacks of every mechanism, and of mechanisms that others published."""
