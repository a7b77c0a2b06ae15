"""`manage.py export_dataset --out DIR`: what people approved, as files to train on."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.export.folder import new_folder
from curation.export.selection import approved_kernels
from curation.export.torchtune import write_text_completion
from curation.words import counted


class Command(BaseCommand):
    help = "Write the approved kernels as torchtune's text completion JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", type=Path, required=True, help="a new folder")

    def handle(self, *, out: Path, **options: Any) -> None:
        with (
            new_folder(out) as folder,
            (folder / "triton_functions.json").open("w", encoding="utf-8") as file,
        ):
            count = write_text_completion(approved_kernels(), file)
        self.stdout.write(f"{counted(count, 'kernel')} in {out / 'triton_functions.json'}.")
