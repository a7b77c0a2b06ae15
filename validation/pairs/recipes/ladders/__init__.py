"""Recipes for optimization ladders: several Triton texts for one Python text, slow to fast."""
