"""A day of requests for many personal models of one base, on one card."""
