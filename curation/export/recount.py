"""Token counts that the rows lack: for other units, or by another tokenizer."""

from collections.abc import Sequence

from curation.evidence.notices import texts_named
from curation.export.export_item import ExportItem
from curation.export.options import ExportOptions
from curation.export.records import joined
from curation.tokens import tokenizer_of


def recount(kind: str, items: Sequence[ExportItem], options: ExportOptions) -> None:
    """Set the tokens of `items`, unless their rows have them."""
    known = options.unit == "file" or (options.unit == "standalone" and not options.with_launcher)
    if not options.tokenizer and (known or kind == "pair"):
        return
    if kind == "pair":
        texts = ["\n".join(item.texts) for item in items]
    elif options.unit == "file":
        of_files = texts_named([item.content_hash for item in items])
        texts = [of_files[item.content_hash] for item in items]
    else:
        texts = [joined(item.texts) for item in items]
    for item, tokens in zip(items, tokenizer_of(options.tokenizer).count(texts), strict=True):
        item.tokens = tokens
