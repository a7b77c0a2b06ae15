def top_k(x, k):
    """The k largest of each row and where they stand; of equal ones the first comes first."""
    values, places = x.sort(dim=-1, descending=True, stable=True)
    return values[:, :k], places[:, :k]
