"""The demo repository: a small base model and personalised models of it, made on the spot from
fixed seeds.
"""
