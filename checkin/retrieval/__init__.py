"""Retrieval: cards ranked by how well they fit a text, by words (BM25) and meaning (embeddings)."""
