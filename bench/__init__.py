"""Measurements of selection, quantization methods and speed; training of the demo models."""
