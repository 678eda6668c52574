"""What a language model says where the evidence is not clear, checked against the evidence."""
