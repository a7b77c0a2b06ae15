"""Recipes of optimization ladders: several Triton sides of one Python side, slow to fast."""
