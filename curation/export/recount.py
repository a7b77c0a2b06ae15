"""Tokens of units other than the standalone one, whose tokens the rows know."""

from collections.abc import Sequence

from curation.export.leaving import Leaving
from curation.export.options import Options
from curation.export.records import joined
from curation.tokens import count_many


def recount(kernels: Sequence[Leaving], options: Options) -> None:
    if options.unit == "file" or (options.unit == "standalone" and not options.with_launcher):
        return
    counts = count_many([joined(item.texts) for item in kernels])
    for item, tokens in zip(kernels, counts, strict=True):
        item.tokens = tokens
