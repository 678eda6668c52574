"""The miniature world: a renderer of captioned pictures, and models of SD1.5's layout that were
trained on it.
"""
