"""Quantizers of attention and activations."""
