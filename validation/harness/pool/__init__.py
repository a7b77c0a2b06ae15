"""Processes of a run: sandboxed fork servers, their children, and messages to the children."""
