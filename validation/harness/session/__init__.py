"""The questions about one entry to untrusted processes: references, recordings and replays."""
