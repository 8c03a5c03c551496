"""Table 7.1, whose numbers are lost in the scanned text: profiles with all that the text says of them."""

PROFILES = [[0.2, 0.3, 0.4, 0.1], [0.3, 0.3, 0.3, 0.1], [0.4, 0.4, 0.1, 0.1]]
TAG = "reconstructed profiles"  # written into every picture of them
