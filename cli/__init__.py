"""The `personalq` command, with one file for each subcommand."""
