"""`dpsampling profiles …`: profile-based privacy for a graph of one's own."""

HELP = "profile-based privacy for your own profiles and edges"
