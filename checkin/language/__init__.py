"""A request in words: phrases, negation, versions, times, replies, and the prompt that it
becomes.
"""
