"""How the chosen models are run: strengths, settings, regions, TAQ, and the record of it."""
