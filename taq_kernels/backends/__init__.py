"""Backends and their operations; the registry says which one runs where, and why."""
