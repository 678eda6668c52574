"""People rate pairs of pictures without knowing which one a quantized model drew."""
