"""Runs `triton_code` on decoys and writes down what its launcher does, as a program.

Nothing that runs here is trusted, and nothing here is hidden from the entry: what leaves is a
program whose every instruction is checked where it is played.
"""
