"""The miniature world: a renderer of captioned pictures, and small models trained on them.

The models have the layout of SD 1.5.
"""
