"""What the figures of chapter 6 share."""
