"""Tokens of units other than the standalone one, whose tokens the rows know."""

from curation.export.options import Options
from curation.export.picks import Picks
from curation.export.records import BATCH, joined
from curation.models import Kernel
from curation.tokens import count_many


def recount(kernels: Picks, options: Options) -> None:
    if options.unit == "file" or (options.unit == "standalone" and not options.with_launcher):
        return
    columns = ["function_source" if options.unit == "function" else "standalone_source"]
    if options.with_launcher:
        columns.append("launcher_source")
    for batch in kernels.batches(BATCH):
        pks = kernels.pks[batch.start : batch.stop].tolist()
        rows = Kernel.objects.filter(pk__among=pks).order_by().values_list("pk", *columns)
        texts = {pk: joined(parts) for pk, *parts in rows}
        for number, tokens in zip(batch, count_many([texts[pk] for pk in pks]), strict=True):
            kernels.tokens[number] = tokens
