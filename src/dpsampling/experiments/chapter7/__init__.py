"""What the figures of chapter 7, profile-based privacy, share."""
