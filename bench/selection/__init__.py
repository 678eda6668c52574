"""Evaluate model selectors on Repo-Prompts, or on any repository and queries of its form."""
