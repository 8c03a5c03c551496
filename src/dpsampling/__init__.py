"""Private posterior sampling whose guarantees are values, and the experiments that check them.

Nothing heavy is imported here: the command line and the workflow read this package's modules one by one.
"""

__version__ = "0.2.0"
