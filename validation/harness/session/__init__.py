"""Requests to untrusted processes about one entry: references, recordings and replays."""
