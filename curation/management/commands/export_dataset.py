"""`manage.py export_dataset --out DIR`: export approved items as files for training."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.export.dataset import ExportOutcome, dry_run, export
from curation.export.options import (
    FORMATS,
    UNITS,
    ExportOptions,
    parse_cap,
    parse_hardware,
    parse_splits,
)
from curation.export.release import find_release, rebuild
from curation.models import Release
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
            help="a new folder, or an earlier export's (default: none; required without --dry-run)",
        )
        parser.add_argument(
            "--format", help=f"some of {','.join(FORMATS)} (default: torchtune,jsonl)"
        )
        parser.add_argument(
            "--unit", choices=UNITS, help="what a kernel's text is (default: standalone)"
        )
        parser.add_argument("--with-launcher", action="store_true", help="host code below kernels")
        parser.add_argument("--fenced", action="store_true", help="code between ``` for torchtune")
        parser.add_argument(
            "--splits", metavar="90/5/5", help="train/validation/test in percent (default: 90/5/5)"
        )
        parser.add_argument("--seed", type=int, help="of the splits and of the draws (default: 0)")
        parser.add_argument(
            "--where",
            metavar="FILTER",
            help="as in the addresses of the review lists (default: all items)",
        )
        parser.add_argument(
            "--hardware",
            metavar="cuda,hip",
            help="what the code is written for, or all (default: cuda)",
        )
        parser.add_argument(
            "--cap-origin", action="append", metavar="inductor=0.2", default=[],
            help="the largest share of an origin; may be given more than once (default: no cap)",
        )  # fmt: skip
        parser.add_argument(
            "--upsample",
            metavar="POLICY",
            help="`source`, or as tutorial=10,inductor=5 (default: no weights)",
        )
        parser.add_argument("--repeat-rows", action="store_true", help="weights as rows in train")
        parser.add_argument(
            "--total-tokens",
            type=int,
            help="of the whole training mix, for the shares on the card (default: not known)",
        )
        parser.add_argument(
            "--tokenizer", metavar="FILE",
            help="count tokens by this tokenizer.json or tiktoken file (default: cl100k_base)",
        )  # fmt: skip
        parser.add_argument(
            "--whole-repositories", action="store_true", help="no repository in two splits"
        )
        parser.add_argument(
            "--held-out-recipes", action="store_true",
            help="also the generated pairs with whole recipes in validation and test",
        )  # fmt: skip
        parser.add_argument("--include-pending", action="store_true", help="also unreviewed items")
        parser.add_argument(
            "--include-disputed", action="store_true",
            help="also items that two reviewers disagree on",
        )  # fmt: skip
        parser.add_argument(
            "--without-benchmarks", action="store_true",
            help="also items never compared with the benchmarks, and such a release",
        )  # fmt: skip
        parser.add_argument(
            "--accept-policy", action="append", metavar="RULES", default=[],
            help="count approvals by this policy; repeatable (default: people only)",
        )  # fmt: skip
        parser.add_argument(
            "--release",
            metavar="NAME",
            help="make a release of this name, or write that release again (default: no release)",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="print the funnel, write nothing"
        )

    def handle(self, **given: Any) -> None:
        self._width = 0
        options = _asked(given)
        if given["dry_run"]:
            self._tell(dry_run(ExportOptions.from_json(options), self._progress))
            return
        if given["out"] is None:
            raise CommandError("Name a folder: --out DIR.")
        if given["release"] and Release.objects.filter(name=given["release"]).exists():
            self._again(given["release"], options, given["out"])
            return
        outcome = export(
            ExportOptions.from_json(options), given["out"],
            name=given["release"] or "", progress=self._progress,
        )  # fmt: skip
        self._tell(outcome)
        for file in outcome.files:
            if file["records"] and not file["kept"]:
                count = pluralize(file["records"], "record")
                self.stdout.write(f"{count} in {given['out'] / file['path']}.")

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
        rebuild(release, out, progress=self._progress)
        self._clear()
        self.stdout.write(f"Rebuilt {name} in {out}, byte for byte.")

    def _progress(self, stage: str, done: int) -> None:
        if self.stderr.isatty():
            line = f"{done:,} {stage}"
            self.stderr.write(f"\r{line:{self._width}}", ending="")
            self.stderr.flush()
            self._width = len(line)

    def _clear(self) -> None:
        if self._width:
            self.stderr.write(f"\r{'':{self._width}}\r", ending="")

    def _tell(self, outcome: ExportOutcome) -> None:
        self._clear()
        for line in outcome.lines():
            self.stdout.write(line)


def _asked(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given; the others keep their default or the release's value."""
    options = {
        "formats": given["format"] and tuple(given["format"].split(",")),
        "splits": given["splits"] and parse_splits(given["splits"]),
        "hardware": given["hardware"] and parse_hardware(given["hardware"]),
        "caps": tuple(sorted(map(parse_cap, given["cap_origin"]))),
        "policies": tuple(sorted(given["accept_policy"])),
        "together": given["whole_repositories"],
        **{
            name: given[name]
            for name in (
                "unit", "with_launcher", "fenced", "seed", "where", "upsample", "repeat_rows",
                "total_tokens", "include_pending", "include_disputed", "without_benchmarks",
                "held_out_recipes", "tokenizer",
            )
        },
    }  # fmt: skip
    return {key: value for key, value in options.items() if value not in (None, False, ())}
