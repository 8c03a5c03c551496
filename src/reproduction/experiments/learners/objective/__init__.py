"""What output and objective perturbation promise, and what they have on a line."""

COLUMNS = {
    "variant": str,  # one of those below
    "loss": str,
    "beside": str,  # whether the record that is replaced is alone, or among others
    "n_lambda": float,  # nΛ
    "epsilon_claimed": float,
    "noise_level": float,  # ε′
    "n_ridge": float,  # nΛ′
    "epsilon_true": float,  # sup ln p/p′, of densities
    "epsilon_events": float,  # the largest ln Pr(S)/Pr′(S) of the intervals S that were tried
    "w": float,  # where
    "z": float,
    "replaced": float,  # z′
    "slack_printed": float,  # what the accounting of 2011 takes for the Jacobian
    "slack_tight": float,  # what it takes
}

OUTPUT, FIRST, PRINTED, TIGHT = "output", "2008", "2011", "tight"
VARIANTS = (OUTPUT, FIRST, PRINTED, TIGHT)
ALONE, OTHERS = "alone", "among others"
LOGISTIC, HINGE = "logistic", "Huber hinge"
