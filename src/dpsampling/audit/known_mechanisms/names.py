"""Names of groups, measures, kinds of numbers and verdicts, for those who read a table."""

SNIPER, CHECKDP, AUDITORIUM = "DP-Sniper", "CheckDP", "dp_auditorium"
EPSILON, DELTA = "epsilon", "delta"
EXACT, AT_LEAST, AT_MOST, INFINITE = "exact", "at least", "at most", "infinite"
RIGHT, BROKEN, UNDECIDED = "right", "broken", "undecided"
