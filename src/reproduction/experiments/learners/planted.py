"""The name of the planted table among data sets."""

PLANTED = "planted"
