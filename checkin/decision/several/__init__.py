"""Requests that mean several models: their noun phrases, each decided, put together again."""
