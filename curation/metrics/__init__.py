"""`/metrics`: what an operator's Prometheus asks for, as of now and whichever process answers."""
