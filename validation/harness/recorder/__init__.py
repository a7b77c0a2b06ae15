"""The recorder: runs `triton_code` on decoys, and describes what the launcher does as a program.

The code that runs here is not trusted and can change all of this process. The process that plays
the program therefore checks every instruction.
"""
