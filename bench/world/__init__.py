"""Train the models of the miniature world, and measure how well they draw."""
