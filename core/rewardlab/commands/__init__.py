"""The commands of the command line, one in each module: `arguments(parser)` and `run(options) -> exit code`."""
