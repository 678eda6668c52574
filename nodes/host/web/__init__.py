"""HTTP routes for the front end."""
