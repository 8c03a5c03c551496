"""`dpsampling logistic …`: private classifiers by exact draws of Bayesian logistic regression."""

HELP = "private classifiers: scores over orders and ε, and the release of one"
