"""Promises against measurements: public mechanisms, and what testers say of them."""
