"""`manage.py export_dataset --out DIR`: export approved items as files for training."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.export.dataset import ExportOutcome, dry_run, export
from curation.export.options import OPTIONS, ExportOptions, Option, chosen
from curation.export.release.push import check_push, push
from curation.export.release.storage import find_release, rebuild
from curation.models import Release
from curation.progress_bar import Bar
from curation.text import pluralize


class Command(BaseCommand):
    help = "Write the approved kernels and pairs as a dataset."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = (
            "Example: manage.py export_dataset --out dataset --splits 90/5/5 --release 2026-11"
        )
        parser.add_argument(
            "--out",
            type=Path,
            help="a new folder, or one that holds an earlier export; required without --dry-run "
            "(default: none)",
        )
        defaults = ExportOptions()
        for name, option in OPTIONS.items():
            parser.add_argument(option.flag, **_argument(option, getattr(defaults, name)))
        parser.add_argument(
            "--release",
            metavar="NAME",
            help="make a release of this name, or write that release again (default: no release)",
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="only print how many items reach each stage; write no files",
        )
        parser.add_argument(
            "--push", metavar="OWNER/NAME", default="",
            help="upload the folder to this dataset of the Hugging Face hub; needs HF_TOKEN "
            "(default: no upload)",
        )  # fmt: skip
        parser.add_argument(
            "--private", action="store_true", help="with --push: make a new dataset private"
        )
        parser.add_argument(
            "--replace", action="store_true",
            help="with --push: also delete the dataset's files that no export wrote",
        )  # fmt: skip

    def handle(self, **given: Any) -> None:
        self._bar = Bar(sys.stderr, lines=False)
        options = chosen({name: given[option.argument] for name, option in OPTIONS.items()})
        if given["push"] and (given["dry_run"] or given["out"] is None):
            raise CommandError("--push uploads what --out writes: name a folder.")
        if given["push"]:
            check_push(given["push"])
        elif given["private"] or given["replace"]:
            raise CommandError("--private and --replace belong to --push: add --push OWNER/NAME.")
        if given["dry_run"]:
            self._tell(dry_run(ExportOptions.from_json(options), self._bar.count))
            return
        if given["out"] is None:
            raise CommandError("Name a folder: --out DIR.")
        if given["release"] and Release.objects.filter(name=given["release"]).exists():
            self._again(given["release"], options, given["out"])
            self._push(given)
            return
        outcome = export(
            ExportOptions.from_json(options), given["out"],
            name=given["release"] or "", progress=self._bar.count,
        )  # fmt: skip
        self._tell(outcome)
        for file in outcome.files:
            if file["records"]:
                count = pluralize(file["records"], "record")
                self.stdout.write(f"{count} in {given['out'] / file['path']}.")
        self._push(given)

    def _push(self, given: dict[str, Any]) -> None:
        if not given["push"]:
            return
        message = f"Release {given['release']}" if given["release"] else "Export"
        pushed = push(
            given["out"], given["push"], message=message,
            private=given["private"], replace=given["replace"],
        )  # fmt: skip
        state = "Pushed to" if pushed.changed else "The same files are already at"
        self.stdout.write(f"{state} {pushed.url}.")

    def _again(self, name: str, options: dict[str, Any], out: Path) -> None:
        release = find_release(name)
        made = ExportOptions.from_json(release.options).as_json()
        wanted = ExportOptions.from_json(options).as_json()
        differing = [key for key in options if made[key] != wanted[key]]
        if differing:
            raise CommandError(
                f"{name} was made with another {differing[0]}. Leave the options out to write it "
                "again, or name another release."
            )
        rebuild(release, out, progress=self._bar.count)
        self._bar.end()
        self.stdout.write(f"Rebuilt {name} in {out}, byte for byte.")

    def _tell(self, outcome: ExportOutcome) -> None:
        self._bar.end()
        for line in outcome.lines():
            self.stdout.write(line)


def _argument(option: Option, default: Any) -> dict[str, Any]:
    """Return the arguments of `add_argument` for an option."""
    words = option.usage or option.help or option.label
    words = f"{words[0].lower()}{words[1:].removesuffix('.')}"
    if option.kind == "yes":
        return {"help": words, "action": "store_true"}
    if "(default:" not in words:
        text = "/".join(map(str, default)) if isinstance(default, tuple) else default
        words = f"{words} (default: {text if text != '' else 'none'})"
    if option.kind == "one":
        return {"help": words, "choices": option.choices}
    if option.kind == "number":
        return {"help": words, "type": int, "metavar": option.metavar or None}
    settings = {"help": words, "metavar": option.metavar or None}
    return {**settings, "action": "append", "default": []} if option.kind == "list" else settings
