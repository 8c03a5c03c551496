"""One module an experiment, named after its id; what such a module holds is in `contract`."""
