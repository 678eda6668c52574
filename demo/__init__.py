"""The demo repository: a small trained base model and personalised models of it."""
