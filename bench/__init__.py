"""Evidence: the demo repository, the main job of the quick start, and measurements."""
