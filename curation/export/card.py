"""README.md: the dataset card, with the header that the Hub and `datasets` read."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from curation.export.card_sections import (
    benchmarks_section,
    estimates_table,
    files_table,
    held_out_section,
    left_out_section,
    mixing_section,
    phases_table,
    pictures_section,
    review_section,
    splits_section,
)
from curation.export.columns import ALPACA, KERNEL, KERNELBOOK, Columns, features, pair_columns
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.options import ExportOptions
from curation.export.plan import KINDS, ExportPlan
from curation.export.records import PALLAS
from curation.export.splits import SPLITS
from curation.export.statistics import Statistics
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
        *_body(folder, title, plan, options, statistics, files),
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
        PALLAS: (PALLAS, KERNEL),
        f"{PARQUET}/pairs": ("pairs", pairs),
        f"{PARQUET}/kernels": ("kernels", KERNEL),
        f"{PARQUET}/{PALLAS}": (PALLAS, KERNEL),
        "alpaca": ("alpaca", ALPACA),
        "kernelbook": ("kernelbook", KERNELBOOK),
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
    number = sum(len(plan.of(kind)) for kind in KINDS)
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
) -> Iterator[str]:
    numbers, pallas = {kind: len(plan.of(kind)) for kind in KINDS}, statistics.pallas
    yield f"# {title}"
    yield ""
    yield (
        f"{pluralize(numbers['kernel'] - pallas.records, 'kernel')} "
        f"({statistics.tokens['kernel'] - pallas.tokens:,} tokens) and "
        f"{pluralize(numbers['pair'], 'pair')} of Python and Triton "
        f"({statistics.tokens['pair']:,} tokens), counted by {tokenizer_of(options.tokenizer)}. "
        "Each record names its "
        "repository, commit, path, lines and license; the notices that licenses require are in "
        "[NOTICE](NOTICE) and `licenses/`. Items left out, with reasons, are in "
        "[REJECTED.jsonl](REJECTED.jsonl); hashes of all files in [MANIFEST.json](MANIFEST.json)."
    )
    if pallas.records:
        yield ""
        yield (
            f"{pluralize(pallas.records, 'kernel')} in Pallas, JAX's kernel language "
            f"({pallas.tokens:,} tokens), have files of their own in `{PALLAS}/`. They are not "
            "Triton. The tables and pictures below count them among the kernels."
        )
    yield from files_table(files, options)
    yield from splits_section(plan, options)
    if plan.held_out:
        yield from held_out_section(plan.held_out, files)
    yield from benchmarks_section(plan)
    yield from left_out_section(plan)
    for kind in KINDS:
        if numbers[kind]:
            yield from pictures_section(folder, kind, statistics)
    yield from review_section(plan, statistics)
    yield from mixing_section(plan, options)
    yield from estimates_table(plan, options)
    yield from phases_table(statistics, options)


def _hub_licenses(statistics: Statistics) -> list[str]:
    """Return the licenses of the records by the Hub's names."""
    every = {name for kind in KINDS for name in statistics.counts[kind]["license"]}
    names = {name.lower() if name in HUB_LICENSES else "other" for name in every}
    return sorted(names) or ["other"]
