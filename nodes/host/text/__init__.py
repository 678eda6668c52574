"""Encodes prompts and marks the trigger's tokens in the conditioning."""
