"""The commands of `dpsampling`, one a module: HELP, arguments(parser) and run(options)."""
