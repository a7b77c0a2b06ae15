"""What machines know of items, as rows: gathered, brought up to date, and counted."""
