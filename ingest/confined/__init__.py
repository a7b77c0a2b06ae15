"""Parsing of foreign files in a sandboxed process: bytes in, JSON out.

Attack: a file exploits a bug of a parser in C (tree-sitter, CPython's, scancode's automaton).
Defense: the process that parses has no database, secret key or network. The ingest uses `reader`,
which starts `worker` in the sandbox.
"""
