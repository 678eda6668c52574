"""The question which of several models is meant, and the choice that an answer names."""
