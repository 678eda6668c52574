"""Libraries and requests by writers who had not seen the program, and how selectors fare there."""
