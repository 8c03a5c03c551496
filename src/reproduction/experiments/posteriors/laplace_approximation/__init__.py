"""The Laplace approximation of thesis Lemma 14, term by term, where every integral has a closed form."""

COLUMNS = {
    "statement": str,  # one of those below
    "case": str,
    "k": int,
    "exact": float,
    "printed": float | None,  # what the source's formula gives
    "right": float | None,  # what should stand there
}

INTEGRAL = "integral"
SIGN = "determinant of the Hessian"
DIMENSION, EXPONENT = "power of 2π", "approximation of ln F"
CORRECTION = "k(Z − 1)"
SLOPE, CURVATURE = "gradient of ln F", "k times the Hessian of ln F"
COVARIANCE = "k times the norm of the covariance"
REMAINDER = "third term"
