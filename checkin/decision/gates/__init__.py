"""What a request demands of a model: its times, versions, base model and kind (rule 1)."""
