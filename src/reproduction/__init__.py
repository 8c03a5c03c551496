"""The thesis and four papers around it: every figure and table made again, every statement judged by computation."""
