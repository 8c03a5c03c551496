"""Names of a release's files, for commands to find them by."""

RELEASE = "release.json"
WORDS, DATA = "CARD.md", "card.json"
