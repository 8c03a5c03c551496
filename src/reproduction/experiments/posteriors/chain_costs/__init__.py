"""What private Markov chains cost: Gibbs, Metropolis and annealed importance sampling (thesis section 4.4.1)."""

COLUMNS = {
    "method": str,
    "setting": str,
    "epsilon": float,
    "delta": float,
    "condition": str,
    "exact": float | None,  # the loss of a binary example, by enumeration
}

UPDATE, SCAN = "Gibbs update", "Gibbs sequential scan, parallel"
PRINTED = "random sample of records, as printed"
METROPOLIS = "Metropolis chain"
ANNEALED, ANNEALED_SUM = "annealed sample, parallel", "annealed sample, sum"
EXAMPLE = "random scan, exact loss of a binary example"
