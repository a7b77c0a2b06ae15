"""Times of an entry that passed, and its run under compute-sanitizer."""
