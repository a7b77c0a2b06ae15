"""Whole models become functions that a pair can be made of.

sources ──▶ worker (sandbox): making ▶ graph ▶ grouping ▶ spelling ▶ sizing ──▶ parts
            a person's words          │ one group a part
                                      ▼
            splitting: parts that differ ──▶ offers, for Inductor as any other
"""
