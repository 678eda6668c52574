"""Measure what quantization does to pictures: the paper's tables.

They are made with the demo's trained models, or with a user's checkpoint.
"""
