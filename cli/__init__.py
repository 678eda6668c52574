"""The `personalq` command: a file for each subcommand."""
