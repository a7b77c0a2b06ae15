"""Inductor's Triton as plain pairs.

offer ──▶ worker (sandbox): trace ▶ lower, with a GPU that is only described
                               │ the text of Inductor's module
                               ▼
          writing: kernels, launcher, configuration, device functions ──▶ draft of a pair
"""
