"""Trusted code in a sandboxed process that plays recorded programs on the true inputs."""
