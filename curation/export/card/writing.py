"""README.md: the dataset card, with the header that the Hub and `datasets` read."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from curation.export.card.configurations import configurations_section
from curation.export.card.sections import (
    benchmarks_section,
    claims_section,
    estimates_table,
    files_table,
    held_out_section,
    left_out_section,
    mixing_section,
    pictures_section,
    review_section,
    splits_section,
)
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.options import ExportOptions
from curation.export.schema import (
    ALPACA,
    KERNEL,
    KERNELBOOK,
    PALLAS,
    Columns,
    features,
    pair_columns,
)
from curation.export.splits import SPLITS
from curation.export.statistics import KINDS, ExportPlan, Statistics
from curation.export.training import ladders
from curation.export.training.prompts.writing import FOLDER as PROMPTS_FOLDER
from curation.export.training.prompts.writing import PROMPTS
from curation.export.training.repairs import COLUMNS as REPAIR_COLUMNS
from curation.export.training.repairs import FOLDER as REPAIRS
from curation.export.training.repairs import repairs_section
from curation.text import pluralize
from curation.tokens import tokenizer_of

PARQUET = "parquet"

SIZES = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)  # fmt: skip

# License names that the Hub knows, in lower case.
HUB_LICENSES = {
    "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "BSL-1.0", "CC0-1.0",
    "Unlicense",
}  # fmt: skip


def write_card(
    folder: Path,
    plan: ExportPlan,
    options: ExportOptions,
    name: str,
    statistics: Statistics,
    files: Sequence[dict[str, Any]],
    checks: Sequence[str],
) -> None:
    title = f"Triton kernels{f' {name}' if name else ''}"
    configs = list(_configs(files, pair_columns(checks)))
    # `datasets` reads all configs of a card as one file type, so Parquet has its own card.
    lines = [config for config in configs if not config.folder.startswith(PARQUET)]
    parquet = [config for config in configs if config.folder.startswith(PARQUET)]
    text = [
        *_header(title, plan, statistics, lines or parquet, ""),
        *_body(folder, title, plan, options, statistics, files, lines or parquet),
    ]
    (folder / "README.md").write_bytes(("\n".join(text) + "\n").encode())
    if parquet:
        beside = [
            *_header(title, plan, statistics, parquet, PARQUET),
            f"# {title}",
            "",
            "The records of the [folder above](../README.md) as Parquet.",
        ]
        (folder / PARQUET / "README.md").write_bytes(("\n".join(beside) + "\n").encode())


@dataclass(frozen=True, slots=True)
class Config:
    """A folder of records for the card's header, with its non-empty splits."""

    name: str
    folder: str
    files: dict[str, dict[str, Any]]
    columns: Columns


def _configs(files: Sequence[dict[str, Any]], pairs: Columns) -> Iterator[Config]:
    known: dict[str, tuple[str, Columns]] = {
        "pairs": ("pairs", pairs),
        "kernels": ("kernels", KERNEL),
        HELD_OUT: (HELD_OUT, pairs),
        REPAIRS: (REPAIRS, REPAIR_COLUMNS),
        ladders.FOLDER: (ladders.FOLDER, ladders.COLUMNS),
        ladders.PREFERENCES: (ladders.PREFERENCES, ladders.PREFERENCE_COLUMNS),
        PALLAS: (PALLAS, KERNEL),
        f"{PARQUET}/pairs": ("pairs", pairs),
        f"{PARQUET}/kernels": ("kernels", KERNEL),
        f"{PARQUET}/{PALLAS}": (PALLAS, KERNEL),
        "alpaca": ("alpaca", ALPACA),
        "kernelbook": ("kernelbook", KERNELBOOK),
        PROMPTS_FOLDER: (PROMPTS_FOLDER, PROMPTS),
    }
    for folder, (config, columns) in known.items():
        splits = {
            split.value: file
            for split in SPLITS
            for file in files
            if file["path"].rpartition(".")[0] == f"{folder}/{split}" and file["records"]
        }
        if splits:
            yield Config(config, folder, splits, columns)


def _header(
    title: str, plan: ExportPlan, statistics: Statistics, configs: Sequence[Config], root: str
) -> Iterator[str]:
    number = sum(len(plan.rows[kind]) for kind in KINDS)
    yield "---"
    yield f"pretty_name: {json.dumps(title)}"
    yield f"license: [{', '.join(_hub_licenses(statistics))}]"
    yield "language: [code, en]"
    yield "tags: [triton, gpu, kernels, code]"
    yield "task_categories: [text-generation]"
    size = next((size for most, size in SIZES if number < most), "10M<n<100M")
    yield f"size_categories: [{size}]"
    if configs:
        yield "configs:"
    for config in configs:
        yield f"- config_name: {config.name}"
        yield "  data_files:"
        for split, file in config.files.items():
            yield f"  - split: {split}"
            yield f"    path: {PurePosixPath(file['path']).relative_to(root)}"
    if configs:
        yield "dataset_info:"
    for config in configs:
        yield f"- config_name: {config.name}"
        yield "  features:"
        yield from features(config.columns, "  ")
        yield "  splits:"
        for split, file in config.files.items():
            yield f"  - name: {split}"
            yield f"    num_bytes: {file['bytes']}"
            yield f"    num_examples: {file['records']}"
    yield "---"
    yield ""


def _body(
    folder: Path,
    title: str,
    plan: ExportPlan,
    options: ExportOptions,
    statistics: Statistics,
    files: Sequence[dict[str, Any]],
    configs: Sequence[Config],
) -> Iterator[str]:
    numbers, pallas = {kind: len(plan.rows[kind]) for kind in KINDS}, statistics.pallas
    yield f"# {title}"
    yield ""
    yield (
        f"{pluralize(numbers['kernel'] - pallas.records, 'kernel')} "
        f"({statistics.tokens['kernel'] - pallas.tokens:,} tokens) and "
        f"{pluralize(numbers['pair'], 'pair')} of Python and Triton "
        f"({statistics.tokens['pair']:,} tokens), counted by {tokenizer_of(options.tokenizer)}. "
        "Each record names its license, and its repository, commit, path and lines if it was read "
        "from one; the notices that licenses require are in [NOTICE](NOTICE) and `licenses/`. "
        "Items left out, with reasons, are in [REJECTED.jsonl](REJECTED.jsonl); hashes of all "
        "files in [MANIFEST.json](MANIFEST.json)."
    )
    if pallas.records:
        yield ""
        yield (
            f"{pluralize(pallas.records, 'kernel')} in Pallas, JAX's kernel language "
            f"({pallas.tokens:,} tokens), have files of their own in `{PALLAS}/`. They are not "
            "Triton. The tables and pictures below count them among the kernels."
        )
    sizes = {
        config.name: sum(file["records"] for file in config.files.values()) for config in configs
    }
    yield from configurations_section(sizes, files)
    yield from files_table(files, options)
    yield from splits_section(plan, options)
    if plan.held_out:
        yield from held_out_section(plan.held_out, files)
    if plan.repairs:
        yield from repairs_section(plan.repairs)
    if plan.ladders:
        yield from ladders.ladders_section(plan.ladders)
    yield from benchmarks_section(plan)
    yield from left_out_section(plan)
    for kind in KINDS:
        if numbers[kind]:
            yield from pictures_section(folder, kind, statistics)
    yield from review_section(plan, statistics)
    yield ""
    yield from claims_section(plan, statistics)
    yield from mixing_section(plan, options)
    yield from estimates_table(plan, options)
    yield from _phases_table(statistics, options)


def _hub_licenses(statistics: Statistics) -> list[str]:
    """Return the licenses of the records by the Hub's names."""
    every = {name for kind in KINDS for name in statistics.counts[kind]["license"]}
    names = {name.lower() if name in HUB_LICENSES else "other" for name in every}
    return sorted(names) or ["other"]


# --- Phases of training ----------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of training with the recommended mix, as lowest and highest values."""

    name: str
    triton: tuple[float, float]
    """Tokens of Triton."""
    share: tuple[float, float] | None = None
    """The share of all tokens, or None if the mix is not counted in tokens."""
    total: tuple[float, float] = (0, 0)
    """All tokens of the phase."""
    kinds: tuple[str, ...] = ("kernel", "pair")


PHASES = (
    Phase("base pretraining", (50e9, 100e9), (0.025, 0.05), (1e12, 2e12)),
    Phase("continued pretraining", (10e9, 20e9), (0.05, 0.1), (200e9, 500e9)),
    Phase("instruction tuning", (500e3, 2e6), kinds=("pair",)),
)


class PhaseRow(NamedTuple):
    """This dataset's share in the tokens of a phase, lowest and highest."""

    phase: Phase
    tokens: int
    share: tuple[float, float] | None
    repetitions: tuple[float, float] | None
    """None if it has no tokens for this phase."""


def by_phase(tokens: Mapping[str, int], total: int = 0) -> Iterator[PhaseRow]:
    """Yield a row for each phase.

    tokens: of the dataset, by kind.
    total: all tokens of the phase; 0: the recommended ones.
    """
    for phase in PHASES:
        available = sum(tokens[kind] for kind in phase.kinds)
        share, target = None, phase.triton
        if phase.share:
            totals = (float(total), float(total)) if total else phase.total
            share = (available / totals[1], available / totals[0])
            if total:
                target = (phase.share[0] * total, phase.share[1] * total)
        repetitions = (target[0] / available, target[1] / available) if available else None
        yield PhaseRow(phase, available, share, repetitions)


def _phases_table(statistics: Statistics, options: ExportOptions) -> Iterator[str]:
    """Yield the recommended mix by phase of training, and this dataset's share in it."""
    total = f"{options.total_tokens:,} tokens" if options.total_tokens else "the recommended total"
    yield ""
    yield (
        "By phase of training. The tokens of Triton and their shares are recommended for a model "
        f"of 3 to 7 billion parameters. These tokens are set against {total}; repetitions say how "
        "often they would be seen to reach the recommended amount. Instruction tuning takes pairs "
        "only."
    )
    yield ""
    yield (
        "| phase | recommended Triton tokens | recommended share | these tokens | their share "
        "| repetitions |"
    )
    yield "|---|--:|--:|--:|--:|--:|"
    triton = statistics.tokens["kernel"] - statistics.pallas.tokens
    tokens = {"kernel": triton, "pair": statistics.tokens["pair"]}
    for row in by_phase(tokens, options.total_tokens):
        phase = row.phase
        yield (
            f"| {phase.name} | {_range(phase.triton, _short)} | {_range(phase.share, _percent)} "
            f"| {row.tokens:,} | {_range(row.share, _percent)} "
            f"| {_range(row.repetitions, _times)} |"
        )


def _range(ends: tuple[float, float] | None, spell: Callable[[float], str]) -> str:
    if ends is None:
        return "n/a"
    low, high = map(spell, ends)
    return low if low == high else f"{low} to {high}"


def _short(count: float) -> str:
    """Format a number with a unit: "50 B" for fifty billion."""
    for unit, name in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if count >= unit:
            return f"{count / unit:g} {name}"
    return f"{count:g}"


def _percent(share: float) -> str:
    if share < 1e-6:
        return "under 0.0001%"
    return f"{float(f'{100 * share:.2g}'):.10f}".rstrip("0").rstrip(".") + "%"


def _times(count: float) -> str:
    return f"{count:,.0f}" if count >= 10 else f"{count:.1f}"
