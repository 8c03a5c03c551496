"""Logs of events: read, reduced to counts per region, month and outcome, and simulated when there is no file."""
