"""Source bytes in, kernels out. Pure: no Django, no network, nothing scraped is run."""
