"""Check whether a pair's Triton computes the same as its PyTorch, without trusting either.

This package imports no Django and nothing else of the project. Run it as `python -m
validation.harness ENTRIES.jsonl`, or call `schedule.check` from Python.
"""
