"""Evidence: selection, quantization methods, speed, and the training of the miniature world."""
