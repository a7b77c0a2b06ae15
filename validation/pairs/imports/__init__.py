"""Conversion of foreign records to drafts of pairs, or to refusals with a reason. Runs no code."""
