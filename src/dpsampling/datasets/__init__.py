"""Data sets: where their files come from, how they are read, and the design matrices that are made of them.

A description in config/datasets says all that is public of a data set before a row of it is read (`descriptions`,
`recipe`); `fetch` gets the files of a public one, by its `routes`; `tables` and `images` read them; `design` makes
features of norm at most 1 and labels of them, and `splits` says which rows are for training.
"""
