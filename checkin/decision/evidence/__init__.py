"""How the words of a request stand in the cards of a library, and what that speaks for (rule 2)."""
