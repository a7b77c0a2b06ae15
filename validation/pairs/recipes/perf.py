"""Sizes from large language and vision models, by the names of a sketch's sizes."""

from __future__ import annotations

from collections.abc import Mapping

SIZES: Mapping[tuple[str, ...], tuple[tuple[int, ...], ...]] = {
    # Tokens times hidden size, as in Llama: (4096, 4096) and (8192, 11008).
    ("n",): ((4096 * 4096,), (8192 * 11008,)),
    ("rows", "cols"): ((4096, 4096), (8192, 11008)),
    ("batch", "seq", "hidden"): ((8, 2048, 4096),),
    ("m", "n", "k"): ((4096, 4096, 4096), (2048, 11008, 4096)),
    ("batch", "m", "n", "k"): ((32, 1024, 1024, 128),),
    ("m", "n"): ((4096, 4096), (11008, 4096)),
    ("outer", "middle", "inner"): ((16, 2048, 1024),),
    ("entries", "count", "width"): ((32000, 8192, 4096),),
    ("segments", "width"): ((2048, 1024),),
    ("channels", "length"): ((4096, 4096),),
    ("tokens", "half"): ((32 * 4096, 64),),
}


# For several rows in a program: norms of each head, and of compressed keys and values.
SHORT_ROWS = ({"rows": 262144, "cols": 128}, {"rows": 65536, "cols": 512})


def perf_sizes(names: tuple[str, ...]) -> tuple[Mapping[str, int], ...]:
    """Return model sizes for these names, or none if the names are unknown."""
    return tuple(dict(zip(names, sizes, strict=True)) for sizes in SIZES.get(names, ()))
