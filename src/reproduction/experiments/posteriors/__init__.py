"""Private posterior sampling of counts: thesis sections 4.1 to 4.4."""
