"""`manage.py ingest_inductor FOLDER`: read kernels from a folder that torch.compile wrote."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.management.arguments import add_stated_source, stated_source
from ingest.jobs import ingest_now
from ingest.management.commands.ingest import summary
from ingest.sources import take_up_compiled


class Command(BaseCommand):
    help = (
        "Read the kernels of a torch_compile_debug folder, a torchinductor cache, or a folder of "
        "MODEL/TRACE/{output_code.py,fx_graph_readable.py}. State source and license of the model "
        "that was compiled: the kernels have them, unless the folder says otherwise."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py ingest_inductor /tmp/torchinductor_ada"
        parser.add_argument("folder", help="the folder that torch.compile wrote")
        add_stated_source(parser)

    def handle(self, *, folder: str, **options: Any) -> None:
        source = take_up_compiled(folder, stated_source(options).as_metadata())
        run = ingest_now(source, again=True)
        if not run.funnel.get("found"):
            raise CommandError(
                f"{folder} holds no output of torch.compile: it has no output_code.py with kernels."
            )
        self.stdout.write(summary(run))
