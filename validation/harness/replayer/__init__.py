"""Trusted code in a sandboxed process: plays a recorded program on the true inputs."""
