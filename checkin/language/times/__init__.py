"""Times named in a request, as calendar periods before now."""
