"""A prompt's text: encoded, with the trigger's tokens marked in the conditioning."""
