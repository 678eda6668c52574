"""`personalq doctor`: what quantization computes on this machine, how exactly, how fast, and in how
much memory.
"""
