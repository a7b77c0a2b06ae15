"""The inputs that an entry is tried on, and the trials that count."""
