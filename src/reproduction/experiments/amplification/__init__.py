"""Privacy amplification by post-processing and iteration: thesis chapter 6."""
