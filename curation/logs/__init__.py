"""Logging of all processes: text by default, one JSON object a line on request."""
