import math

import torch


def paged_attention(q, keys, values, pages, lengths):
    """One new query a sequence over keys and values that lie scattered in pages of a cache."""
    out = []
    for query, table, length in zip(q, pages, lengths.tolist()):
        k = keys[table].flatten(0, 1)[:length].float()
        v = values[table].flatten(0, 1)[:length].float()
        scores = torch.einsum("hd,thd->ht", query.float(), k) / math.sqrt(q.shape[-1])
        out.append(torch.einsum("ht,thd->hd", torch.softmax(scores, dim=-1), v))
    return torch.stack(out).to(q.dtype)
