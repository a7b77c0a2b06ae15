"""Conversion of foreign records to drafts of pairs, or refusals with a reason. It runs no code."""
