"""What the text of section 5.4.1 says of Figures 5.3 and 5.4."""

SUCCESSES = 38.0  # of 100 trials, under the prior (6, 18)
SETTING = {"family": "beta-bernoulli", "prior": [6, 18], "n": 100}
