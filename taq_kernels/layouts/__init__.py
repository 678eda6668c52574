"""Layouts: the forms in which quantized weights are stored."""
