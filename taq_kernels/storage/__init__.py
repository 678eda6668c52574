"""Quantized weights as state dicts, files, and checkpoints."""
