"""How language models are asked: one file for each protocol."""
