"""Check-in: which of your models a request means."""
