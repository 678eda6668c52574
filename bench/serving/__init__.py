"""Measurements of `personalq serve`, and a simulation with their times."""
