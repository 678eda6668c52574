"""A miniature world: a renderer of captioned pictures, small enough to train a whole SD1.5-layout model on."""
