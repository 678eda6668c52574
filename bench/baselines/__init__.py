"""Simulated quantization methods to compare with, by name."""
