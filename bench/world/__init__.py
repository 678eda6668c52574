"""Trains the models of the miniature world, and measures how well they draw."""
