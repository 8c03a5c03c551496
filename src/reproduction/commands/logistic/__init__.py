"""Private classifiers of one data set, scored."""
