"""Guarantees as values, their composition and conversion, and the ledger of releases."""
