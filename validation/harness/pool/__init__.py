"""Processes of a run: fork servers in their sandbox, their children, and the messages to them."""
