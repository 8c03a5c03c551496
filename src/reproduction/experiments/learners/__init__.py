"""Experiments about private learners."""
