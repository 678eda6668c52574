"""Every operation in plain torch: the reference, and the fallback where nothing faster runs."""
