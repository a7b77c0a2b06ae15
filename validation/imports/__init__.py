"""Records from outside become drafts of pairs, or are refused in words. Nothing of them is run."""
