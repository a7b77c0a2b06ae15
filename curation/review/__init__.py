"""Review: queue, item pages, decisions, lists and JSON API."""
