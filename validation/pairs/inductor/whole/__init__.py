"""Whole models as functions that pairs can be made of.

sources ──▶ worker (sandbox): making ▶ graph ▶ grouping ▶ spelling ▶ sizing
──▶ parts, one for each group
──▶ splitting: distinct parts as offers for Inductor
"""
