"""What a stochastic post-processing adds to the privacy of a mechanism (thesis chapter 6)."""
