"""Reading of foreign files in a sandboxed process: bytes in, JSON out.

Attack: a file exploits a bug of a parser in C (tree-sitter, CPython's, scancode's automaton).
Defense: the process that parses has no database, secret key or network. `reader` is the ingest's
side; `worker` runs in the sandbox.
"""
