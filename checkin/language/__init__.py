"""From the words of a request to its meaning and to a prompt.

Phrases, negation, versions and times give the intent record; the rewriter makes the prompt.
"""
