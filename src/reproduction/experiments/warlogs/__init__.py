"""Private hidden Markov models of event logs: thesis section 4.5."""
