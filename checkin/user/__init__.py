"""What belongs to the user: settings, preferences, and the history of use."""
