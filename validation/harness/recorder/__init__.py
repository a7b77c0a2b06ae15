"""The recorder: it runs `triton_code` on decoys, and writes what the launcher does as a program.

The code that runs here is not trusted and sees all of this process. Every instruction of the
program is therefore checked where it is played.
"""
