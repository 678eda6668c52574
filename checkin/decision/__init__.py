"""Which model is meant: gates, evidence, questions and answers, pins, and the serving plan."""
