"""Profile-based privacy (thesis chapter 7): graphs of profiles, mechanisms that hide them, exact checks."""
