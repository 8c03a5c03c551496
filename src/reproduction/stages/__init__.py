"""What a job does: a table, its figure, its claims, each from the code that an experiment names."""
