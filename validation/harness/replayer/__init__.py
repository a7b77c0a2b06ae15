"""Trusted code in a sandboxed process: it plays recorded programs on the true inputs."""
