"""The models that a request may mean: which its words call, rule out and tell apart."""
