"""Prompts: the task of each pair in plain English, without any Triton."""
