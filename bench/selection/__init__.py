"""Judging model selectors on Repo-Prompts and on any repository and queries in its form."""
