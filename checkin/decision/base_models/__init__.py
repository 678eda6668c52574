"""The base model of what is drawn: one for all parts, one that is named, one that is not here."""
