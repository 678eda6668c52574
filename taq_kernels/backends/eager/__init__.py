"""Every operation in plain torch: the reference, and what runs where nothing faster does."""
