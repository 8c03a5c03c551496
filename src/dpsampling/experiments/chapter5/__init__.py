"""What the figures of chapter 5 share."""
