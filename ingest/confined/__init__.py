"""Reading foreign files in a sandboxed process: bytes in, JSON out.

A parser in C (tree-sitter, CPython's own, scancode's automaton) may have a bug that a file can
use. An ingest holds the database, the secret key and the network; the process that parses has
none of them. `reader` is the ingest's side; `worker` is what runs in the sandbox.
"""
