"""Files that a lab trains on: the records in each format, prompts, conversations and reviews."""
