"""Runs `triton_code` on decoys and writes down what its launcher does, as a program.

The code that runs here is not trusted, and can see all of this process: what leaves is a
program whose every instruction is checked where it is played.
"""
