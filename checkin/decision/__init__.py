"""Which model is meant: constraints, policy, the one question, near misses, pins, and the serving
plan.
"""
