"""Rewards for reinforcement learning: a server on the equivalence harness, a client, and adapters.

The server's process runs no submitted code. Client and adapters import only the standard library.
"""
