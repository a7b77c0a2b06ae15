"""Export of a dataset: plan, write, describe, save and publish the folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef

from curation import __version__
from curation.errors import CurationError
from curation.export.card.readme import write_card
from curation.export.coverage import Coverage, check_release
from curation.export.facts import db_snapshot
from curation.export.folder import OutputFiles, encode, new_folder, write_manifest
from curation.export.gates import FUNNEL, ExclusionReason
from curation.export.options import ExportOptions, ProgressCallback, check_name, no_progress
from curation.export.plan import build_plan
from curation.export.release.storage import save_release, save_splits
from curation.export.schema import PALLAS, SCHEMA
from curation.export.statistics import (
    KINDS,
    SPLIT_RULE,
    ExportPlan,
    Statistics,
    count,
    shares,
    split_tables,
)
from curation.export.training.formats import write_formats
from curation.export.training.ladders import write_ladders
from curation.export.training.repairs import write_repairs
from curation.export.training.reviews import write_reviews
from curation.models import Device, Pair, Release, Status, ValidationResult
from curation.text import pluralize
from curation.tokens import tokenizer_of

REJECTED = "REJECTED.jsonl"


class NothingToRelease(CurationError):
    """An error because a release would be empty. Its name would be lost: names can't be reused."""


@dataclass(frozen=True, slots=True)
class ExportOutcome:
    """Result of an export."""

    funnel: dict[str, dict[str, int]]
    left_out: Mapping[ExclusionReason, int]
    files: Sequence[dict[str, Any]] = ()
    release: Release | None = None
    coverage: Coverage = field(default_factory=Coverage)
    # Number of exported ladders. None if they were not requested.
    ladders: int | None = None

    @property
    def exported(self) -> int:
        return sum(stages["exported"] for stages in self.funnel.values())

    def lines(self) -> Iterator[str]:
        """Yield the funnel, the benchmark coverage and, for an empty export, the next command."""
        yield from self.stages()
        if not self.exported:
            examined = sum(stages["found"] for stages in self.funnel.values())
            yield from advise(examined, self.left_out)

    def stages(self) -> Iterator[str]:
        for kind, stages in self.funnel.items():
            yield f"{kind}: {' → '.join(f'{count:,} {stage}' for stage, count in stages.items())}"
        yield from self.coverage.sentences()
        if self.ladders == 0:
            yield (
                "No ladder was exported, because no two of its rungs have times on one GPU: "
                "`manage.py validate --device cuda --timing` measures them."
            )


def export(
    options: ExportOptions,
    out: Path,
    *,
    name: str = "",
    user: User | None = None,
    progress: ProgressCallback = no_progress,
) -> ExportOutcome:
    """Write a dataset. If a `name` is given, save it as a release that can be rebuilt."""
    check_name(name)
    # An unreadable tokenizer file is reported before the work starts.
    tokenizer_of(options.tokenizer)
    with new_folder(out) as folder:
        files = OutputFiles(folder)
        with db_snapshot():
            plan = build_plan(options, progress)
            if name:
                _check_release(name, plan, options)
            _write_rows(files, plan, options)
        write_formats(files, plan, options, progress)
        statistics = count(plan)
        write_card(files, plan, options, name, statistics)
        manifest = _describe(files, plan, options, name, statistics)
        write_manifest(folder, manifest)
        progress("remembered", 0)
        save_splits(plan, options.plan)
        release = save_release(name, options, manifest, folder, plan, user) if name else None
    return _outcome(plan, manifest["files"], release)


def dry_run(options: ExportOptions, progress: ProgressCallback = no_progress) -> ExportOutcome:
    """Return the outcome of an export without writing a file or a row."""
    tokenizer_of(options.tokenizer)
    with db_snapshot():
        return _outcome(build_plan(options, progress, brief=True))


def _check_release(name: str, plan: ExportPlan, options: ExportOptions) -> None:
    if not any(plan.records.values()):
        advice = "\n".join(_outcome(plan).lines())
        raise NothingToRelease(f"{name} is not a release: it would be empty.\n{advice}")
    if not options.without_benchmarks:
        check_release(name, plan.coverage)


def _write_rows(files: OutputFiles, plan: ExportPlan, options: ExportOptions) -> None:
    """Write the files that need more database rows than the records do."""
    # Sort by kind (kernels before pairs), then by content hash, which is the order of examination.
    rejected = sorted(plan.rejected, key=lambda line: line[:2])
    files.write_text(REJECTED, "".join(f"{encode(entry)}\n" for *_, entry in rejected))
    records = [record for kind in KINDS for record in plan.records[kind]]
    plan.notices.write(files, [record.metadata["notice"] for record in records])
    pairs, tokenizer = plan.records["pair"], tokenizer_of(options.tokenizer)
    if options.repairs:
        plan.repairs = write_repairs(files, pairs, tokenizer)
    if options.ladders:
        plan.ladders = write_ladders(files, pairs, tokenizer)
    if options.reviews:
        write_reviews(files, plan, options)
    if plan.held_out:
        plan.held_out.write_dropped(files)


def _outcome(
    plan: ExportPlan, files: Sequence[dict[str, Any]] = (), release: Release | None = None
) -> ExportOutcome:
    ladders = None if plan.ladders is None else plan.ladders["ladders"]
    return ExportOutcome(
        plan.stages(), plan.funnel.left_out(), files, release, plan.coverage, ladders
    )


# --- MANIFEST.json: files, inputs and rules, without times and places -------------------------
def _describe(
    files: OutputFiles,
    plan: ExportPlan,
    options: ExportOptions,
    name: str,
    statistics: Statistics,
) -> dict[str, Any]:
    tokenizer = tokenizer_of(options.tokenizer)
    pallas = statistics.pallas
    return {
        "schema": SCHEMA,
        "release": name or None,
        "options": options.as_json(),
        "seed": options.seed,
        "tools": tools(options),
        "tokenizer": {"name": tokenizer.name, "sha256": tokenizer.sha256 or None},
        "checks": list(plan.checks),
        "records": _with_pallas(
            {f"{kind}s": len(plan.records[kind]) for kind in KINDS}, pallas.records
        ),
        "tokens": _with_pallas(
            {f"{kind}s": statistics.kinds[kind].tokens for kind in KINDS}, pallas.tokens
        ),
        "by_category": statistics.by_category(),
        "funnel": plan.stages(),
        "left_out": {f"{kind}s": dict(sorted(plan.funnel.reasons[kind].items())) for kind in KINDS},
        "split_rule": SPLIT_RULE,
        "splits": split_tables(plan, options),
        "benchmarks": plan.coverage.as_json(),
        "held_out_recipes": plan.held_out.as_json() if plan.held_out else None,
        "repairs": None if plan.repairs is None else {"kinds": dict(sorted(plan.repairs.items()))},
        "ladders": plan.ladders,
        "categories": {f"{kind}s": statistics.as_json(kind) for kind in KINDS},
        "mixing": [asdict(share) for share in shares(plan)],
        "files": files.entries(),
    }


def _with_pallas(numbers: dict[str, int], pallas: int) -> dict[str, int]:
    """Return the counts. Pallas kernels, if there are any, are counted under a separate key."""
    if not pallas:
        return numbers
    return {**numbers, "kernels": numbers["kernels"] - pallas, PALLAS: pallas}


def tools(options: ExportOptions) -> dict[str, str]:
    """Return the versions of tools that change the output bytes. Python itself changes none."""
    made_by = {"triton-curation": __version__, "tokens": str(tokenizer_of(options.tokenizer))}
    return {**made_by, "pyarrow": version("pyarrow")} if "parquet" in options.formats else made_by


# --- Advice after an empty export ------------------------------------------------------------
EXAMINE = "python manage.py examine"
VALIDATE = "python manage.py validate --pending --device {} --now"
REVIEW = "python manage.py up"
FUNNELS = "python manage.py report --funnel"
READ = "python manage.py pipeline --out dataset"


# For each reason, a sentence on the next step, and a shell command.
STEPS: dict[ExclusionReason, tuple[str, str]] = {
    ExclusionReason.HARDWARE: ("They are for other hardware: name it with `--hardware`.", FUNNELS),
    ExclusionReason.LICENSE: (
        "`report` counts the licenses; a curator decides on unknown ones in the admin.",
        "python manage.py report",
    ),
    ExclusionReason.UNEXAMINED: (
        "`examine` looks for near-duplicates and benchmark problems first.",
        EXAMINE,
    ),
    ExclusionReason.NOT_VALIDATED: (
        "`validate` checks pairs: `--device interpreter` without a GPU, `--device cuda` with one.",
        VALIDATE,
    ),
    ExclusionReason.VALIDATION_FAILED: ("The browser shows which checks failed.", REVIEW),
    ExclusionReason.GRADE: (
        "The table in validation/harness/policy.toml lists the accepted grades.",
        FUNNELS,
    ),
    ExclusionReason.PENDING: (
        "Review them in the browser, or export with `--include-pending`.",
        REVIEW,
    ),
    ExclusionReason.DISPUTED: (
        "A curator settles disputes in the browser, or export with `--include-disputed`.",
        REVIEW,
    ),
    ExclusionReason.BY_POLICY: (
        "Review them in the browser, or export with `--accept-policy RULES`.",
        REVIEW,
    ),
}
OTHERS = ("`report --funnel` counts what each stage leaves out.", FUNNELS)


def advise(examined: int, left_out: Mapping[ExclusionReason, int]) -> Iterator[str]:
    """Yield the reason why an export is empty, and the command that helps most often.

    examined: number of items examined.
    left_out: number of them by reason.
    """
    if not examined:
        yield "Nothing was exported: the database holds no such item. `pipeline` reads sources."
        yield f"Next: {READ}"
        return
    order = [reason for _, reasons in FUNNEL for reason in reasons]
    counts = {reason: left_out[reason] for reason in order if left_out.get(reason)}
    named = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
    sentence, command = STEPS.get(max(counts, key=lambda reason: counts[reason]), OTHERS)
    yield f"Nothing was exported of {pluralize(examined, 'item')}: {named}. {sentence}"
    yield f"Next: {validate_command() if command == VALIDATE else command}"


def validate_command() -> str:
    """Return the command that validates pairs.

    If some pair has no verdict from the interpreter, the command uses the interpreter, because it
    needs no GPU. Otherwise it uses CUDA, because the interpreter does not support every pair.
    """
    seen = ValidationResult.objects.filter(
        run__device=Device.INTERPRETER,
        pair=OuterRef("pk"),
        content_hash=OuterRef("content_hash"),
    )
    pairs = Pair.objects.filter(status__in=(Status.PENDING, Status.APPROVED))
    left = pairs.filter(~Exists(seen)).exists()
    return VALIDATE.format(Device.INTERPRETER if left else Device.CUDA)
