"""Private models of one event log, scored."""
