"""Cross-attention: its equations, the prompt-time K/V cache, and the tokens that are protected."""
