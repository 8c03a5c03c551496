"""Public steps at the end of noisy SGD make it private for every record (thesis section 6.4.1)."""

from reproduction.experiments.checks import gradient_steps

COLUMNS = {
    "dimension": int,
    "sigma": float,
    "public_steps": int,
    "epsilon": float,
    "excess_loss": float,
    "sem": float,
    "excess_nonprivate": float,
    "sem_nonprivate": float,
}

check = gradient_steps
