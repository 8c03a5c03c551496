"""What the figures of chapter 4's synthetic part share."""
