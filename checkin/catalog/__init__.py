"""Cards, their facts in columns, selections of them, duplicates, and references to one of them."""
