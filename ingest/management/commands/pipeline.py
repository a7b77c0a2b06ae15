"""`manage.py pipeline [SOURCE…] --out DIR`: from repositories to a dataset, in one command."""

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.errors import CurationError
from curation.evidence.funnel import funnel
from curation.export.dataset import (
    EXAMINE,
    READ,
    REVIEW,
    VALIDATE,
    ExportOutcome,
    export,
    validate_command,
)
from curation.export.extract import FOLDER, extract
from curation.export.folder import check_target
from curation.export.gates import ExclusionReason
from curation.export.options import ExportOptions
from curation.management.arguments import at_least_one
from curation.management.arguments import device as device_argument
from curation.models import Device, IngestRun, Origin, Repository, Role
from curation.progress_bar import Bar
from curation.sources.load import load_sources
from curation.text import pluralize
from ingest import tables
from ingest.drafts import draft_repositories
from ingest.jobs import ingest_now
from ingest.management.commands.ingest import summary
from ingest.report import read_sources, report
from ingest.sources import take_up

DATASET = "dataset"


class Command(BaseCommand):
    help = (
        "Read sources, draft and generate pairs, examine and validate, all in this process. Then "
        "write what the database holds: plain folders of source files, and a dataset of all items "
        "that were not rejected."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py pipeline ~/Liger-Kernel --device interpreter --out out"
        parser.add_argument(
            "source",
            nargs="*",
            help="repositories, as `ingest` takes them; without any, all known sources",
        )
        parser.add_argument(
            "--out",
            type=Path,
            required=True,
            metavar="DIR",
            help="a new folder, or one that holds an earlier result",
        )
        parser.add_argument(
            "--generate",
            type=int,
            default=0,
            metavar="N",
            help="also generate N pairs by recipe (default: %(default)s)",
        )
        parser.add_argument(
            "--inductor", type=int, default=0, metavar="N",
            help="also have Inductor write N pairs at most (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument(
            "--device", type=device_argument, choices=Device.values, default="",
            help="validate items without a verdict on this device; gpu means cuda (default: none)",
        )  # fmt: skip
        parser.add_argument(
            "--limit",
            type=at_least_one,
            metavar="N",
            help="validate N items at most (default: all)",
        )

    def handle(
        self,
        *,
        source: list[str],
        out: Path,
        generate: int,
        inductor: int,
        device: str,
        limit: int | None,
        **options: Any,
    ) -> None:
        _check_folders(out)
        self._bar, self._failures = Bar(sys.stderr), list[str]()
        self._outcome: ExportOutcome | None = None
        repositories = self._ingest(_asked_for(source))
        self._stage("draft", partial(self._draft, repositories))
        if generate:
            self._command("generate", "generate_pairs", count=generate)
        if inductor:
            self._command("inductor", "generate_inductor_pairs", limit=inductor)
        self._command("examine", "examine")
        if device:
            self._command(
                "validate", "validate", pending=True, device=device, now=True, limit=limit
            )
        else:
            self.stdout.write(
                "validate: skipped. `--device interpreter` or `--device cuda` checks."
            )
        self._stage("extract", partial(self._extract, out))
        self._stage("export", partial(self._export, out))
        self.stdout.write(f"\n{out} holds {FOLDER}/ and {DATASET}/.")
        self.stdout.write(f"Next: {_next_command(self._outcome, out, device)}")
        if self._failures:
            raise CommandError("\n".join(self._failures))

    def _ingest(self, sources: Sequence[str]) -> list[Repository]:
        runs, failures = list[IngestRun](), list[str]()
        for number, text in enumerate(sources, start=1):
            try:
                run = ingest_now(take_up(text))
            except Exception as error:  # noqa: BLE001 - a fault in one source must not stop the others
                kind = "" if isinstance(error, CurationError) else f"{type(error).__name__}: "
                line = f"{text}: {kind}{error}"
                failures.append(line)
            else:
                line = summary(run)
                runs.append(run)
            self._bar.end()
            self.stdout.write(f"{number}/{len(sources)} {line}")
        if failures:
            self._failures += [f"{pluralize(len(failures), 'source')} failed:", *failures]
        self.stdout.write(f"ingest: {_ingest_summary(len(sources), runs)}")
        return _draftable(runs)

    def _draft(self, repositories: list[Repository]) -> Iterable[str]:
        drafting = draft_repositories(repositories, self._bar.show)
        stored, kept = drafting.stored, drafting.kept
        yield drafting.summary()
        yield (
            f"{pluralize(stored.added, 'pair')} stored, {stored.known:,} known before; "
            f"{pluralize(kept.added, 'draft')} opened for curators"
        )
        if drafting.errors:
            raise CurationError(" ".join(drafting.errors))

    def _extract(self, out: Path) -> Iterable[str]:
        manifest = extract(out, progress=self._bar.count)
        files = manifest["total_files"]
        left_out = manifest["left_out"]
        candidates = pluralize(files + sum(left_out.values()), "file")
        yield _with_reasons(f"{candidates} -> {pluralize(files, 'file')}", left_out)
        yield from ("", *tables.everything())
        yield from ("", *tables.funnel(funnel(read_sources())))
        yield from ("", *tables.extraction(manifest), "")

    def _export(self, out: Path) -> Iterable[str]:
        everything = ExportOptions(include_pending=True)
        self._outcome = export(everything, out / DATASET, progress=self._bar.count)
        yield _export_summary(self._outcome)
        yield from self._outcome.stages()

    def _command(self, stage: str, name: str, **options: Any) -> None:
        """Run another command by name, because `ingest` must not import `validation`."""

        def lines() -> Iterable[str]:
            output = StringIO()
            try:
                call_command(name, stdout=output, **options)
            finally:
                self._bar.end()
                yield from output.getvalue().splitlines()

        self._stage(stage, lines)

    def _stage(self, name: str, work: Callable[[], Iterable[str]]) -> None:
        """Print the lines of a stage after its name. If it fails, note the failure and continue."""
        try:
            for number, line in enumerate(work()):
                self._bar.end()
                self.stdout.write(f"  {line}".rstrip() if number else f"{name}: {line}")
        except Exception as error:  # noqa: BLE001 - the later stages run where they can
            self._bar.end()
            kind = "" if isinstance(error, CurationError | CommandError) else type(error).__name__
            failure = ": ".join(filter(None, (name, "failed", kind, str(error))))
            self.stdout.write(failure)
            self._failures.append(failure)


def _asked_for(texts: Sequence[str]) -> list[str]:
    """Return the named sources, or all enabled ones if `texts` is empty."""
    # Named sources need this too: a local clone is recognized by the known repositories.
    load_sources()
    return list(texts) or list(Repository.objects.enabled().values_list("name", flat=True))


def _check_folders(out: Path) -> None:
    """Refuse a folder with other files before the sources are read, which may take an hour."""
    for name in (FOLDER, DATASET):
        check_target(out / name)


def _draftable(runs: Iterable[IngestRun]) -> list[Repository]:
    """Return sources with new code, to draft pairs from. Skip benchmarks and Inductor folders."""
    keys = dict.fromkeys(run.repository_id for run in runs)
    # Fetched anew, because `run.repository` was fetched before the ingest changed it.
    rows = Repository.objects.in_bulk(keys)
    return [
        repository
        for repository in (rows[key] for key in keys)
        if repository.role == Role.SOURCE
        and repository.origin != Origin.INDUCTOR
        and not repository.opted_out
        and repository.last_drafting != repository.last_reading
    ]


def _ingest_summary(sources: int, runs: Iterable[IngestRun]) -> str:
    """Return a line such as "2 sources -> 209 kernels, 197 standalone, in 659 files (…)"."""
    keys = [run.repository_id for run in runs]
    rows = list(report(Repository.objects.filter(pk__in=keys)))
    kernels, standalone, files = (
        sum(getattr(row, name) for row in rows) for name in ("kernels", "standalone", "files")
    )
    drops: Counter[str] = Counter()
    for row in rows:
        drops.update(row.drops)
    # Kernels that are not standalone were stored, so they do not count as left out.
    del drops["not-standalone"]
    return _with_reasons(
        f"{pluralize(sources, 'source')} -> {pluralize(kernels, 'kernel')}, "
        f"{standalone:,} standalone, in {pluralize(files, 'file')}",
        drops,
    )


def _export_summary(outcome: ExportOutcome) -> str:
    """Return a line such as "195 kernels and 27 pairs -> 150 kernels and 20 pairs (…)"."""
    before, after = (
        " and ".join(pluralize(s[stage], kind[:-1]) for kind, s in sorted(outcome.funnel.items()))
        for stage in ("found", "exported")
    )
    return _with_reasons(f"{before} -> {after}", outcome.left_out)


def _with_reasons(line: str, left_out: Mapping[str, int] | Mapping[ExclusionReason, int]) -> str:
    if not any(left_out.values()):
        return line
    ordered = sorted(left_out.items(), key=lambda item: (-item[1], item[0]))
    reasons = ", ".join(f"{reason} {count:,}" for reason, count in ordered if count)
    return f"{line} ({sum(left_out.values()):,} left out: {reasons})"


def _next_command(outcome: ExportOutcome | None, out: Path, device: str) -> str:
    """Return the command that the user may type after the pipeline.

    outcome: result of the export, or None if it failed.
    device: device of the validation, or "" if nothing was validated.
    """
    if outcome is None:
        folder = shlex.quote(str(out / DATASET))
        return f"python manage.py export_dataset --include-pending --out {folder}"
    if outcome.left_out.get(ExclusionReason.UNEXAMINED):
        return EXAMINE
    if outcome.left_out.get(ExclusionReason.NOT_VALIDATED):
        return VALIDATE.format(device) if device == Device.CUDA else validate_command()
    return REVIEW if any(stages["found"] for stages in outcome.funnel.values()) else READ
