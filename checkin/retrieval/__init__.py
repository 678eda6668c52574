"""Retrieval: cards in the order in which they fit a text, by words (BM25) and by meaning
(embeddings), fused.
"""
