"""Profile-based privacy: thesis chapter 7."""
