"""Which model is meant: constraints, policy, questions and answers, pins, and the serving plan."""
