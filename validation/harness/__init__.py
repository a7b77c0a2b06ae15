"""Check whether a pair's Triton computes what its PyTorch computes, without trusting either.

It knows no Django and nothing else of the project: `python -m validation.harness ENTRIES.jsonl`.
`schedule.check` is the same from Python.
"""
