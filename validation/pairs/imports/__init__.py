"""Import of foreign records as drafts of pairs, or refusals with a reason. It runs no code."""
