"""Numerical pieces: integrals, special functions, truncated laws, and expectations by quadrature."""
