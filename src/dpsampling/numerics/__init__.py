"""Numerical pieces that know no statistics and no privacy."""
