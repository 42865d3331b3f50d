"""The commands of the command line, one a module: `arguments(parser)` and `run(options) -> exit code`."""
