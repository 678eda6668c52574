"""Repo-Prompts: 1,000 cards and 500 queries, made from a seed.

README.md says how, and which decisions it had to take.
"""

from .cards import NOW, Lineage, make_cards
from .queries import Query, make_queries
from .write import write

__all__ = ["NOW", "Lineage", "Query", "make_cards", "make_queries", "write"]
