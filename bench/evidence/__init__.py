"""What quantization does to pictures, measured: the tables of the paper on trained models, or on a
checkpoint.
"""
