"""Models, split into functions from which pairs can be made.

sources ──▶ worker (sandbox): making ▶ graph ▶ grouping ▶ spelling ▶ sizing
──▶ parts, one for each group
──▶ splitting: distinct parts as offers for Inductor
"""
