"""README.md: the dataset's card, with the header that the Hub and `datasets` read."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from curation.export.columns import ALPACA, KERNEL, KERNELBOOK, Columns, features, pair_columns
from curation.export.draw import KINDS, Draw
from curation.export.held_out import DROPPED, HeldOut
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.manifest import SPLIT_RULE, shares, splits
from curation.export.mixing import by_phase
from curation.export.options import Options
from curation.export.pictures import draw_bars
from curation.export.records import PALLAS
from curation.export.splits import SPLITS
from curation.export.statistics import Statistics
from curation.tokens import tokenizer_of
from curation.words import counted

PARQUET = "parquet"

SIZES = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)  # fmt: skip

PICTURES = {
    "operation_type": "Operations",
    "license": "Licences",
    "origin": "Origins",
    "category": "Sources by category",
    "validated on": "Where it was validated",
}

# The Hub knows these names, in lower case.
HUB_LICENSES = {
    "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "BSL-1.0", "CC0-1.0",
    "Unlicense",
}  # fmt: skip


def write_card(
    folder: Path,
    drawn: Draw,
    options: Options,
    name: str,
    statistics: Statistics,
    files: Sequence[dict[str, Any]],
    checks: Sequence[str],
) -> None:
    title = f"Triton kernels{f' {name}' if name else ''}"
    configs = list(_configs(files, pair_columns(checks)))
    # `datasets` reads all configs of a card as one kind of file, so that Parquet has its own.
    lines = [config for config in configs if not config.folder.startswith(PARQUET)]
    parquet = [config for config in configs if config.folder.startswith(PARQUET)]
    text = [
        *_header(title, drawn, statistics, lines or parquet, ""),
        *_body(folder, title, drawn, options, statistics, files),
    ]
    (folder / "README.md").write_bytes(("\n".join(text) + "\n").encode())
    if parquet:
        beside = [
            *_header(title, drawn, statistics, parquet, PARQUET),
            f"# {title}",
            "",
            "The records of the [folder above](../README.md) as Parquet.",
        ]
        (folder / PARQUET / "README.md").write_bytes(("\n".join(beside) + "\n").encode())


@dataclass(frozen=True, slots=True)
class Config:
    """A folder of records, as the card's header has it: its splits where they are not empty."""

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
    title: str, drawn: Draw, statistics: Statistics, configs: Sequence[Config], root: str
) -> Iterator[str]:
    number = sum(len(drawn.of(kind)) for kind in KINDS)
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
    drawn: Draw,
    options: Options,
    statistics: Statistics,
    files: Sequence[dict[str, Any]],
) -> Iterator[str]:
    numbers, pallas = {kind: len(drawn.of(kind)) for kind in KINDS}, statistics.pallas
    yield f"# {title}"
    yield ""
    yield (
        f"{counted(numbers['kernel'] - pallas.records, 'kernel')} "
        f"({statistics.tokens['kernel'] - pallas.tokens:,} tokens) and "
        f"{counted(numbers['pair'], 'pair')} of Python and Triton "
        f"({statistics.tokens['pair']:,} tokens), counted by {tokenizer_of(options.tokenizer)}. "
        "Each record names its "
        "repository, commit, path, lines and licence; what licences ask to travel along stands in "
        "[NOTICE](NOTICE) and `licenses/`. What was left out, and why, stands in "
        "[REJECTED.jsonl](REJECTED.jsonl); hashes of all files in [MANIFEST.json](MANIFEST.json)."
    )
    if pallas.records:
        yield ""
        yield (
            f"{counted(pallas.records, 'kernel')} in Pallas, JAX's kernel language "
            f"({pallas.tokens:,} tokens), have files of their own in `{PALLAS}/`. They are not "
            "Triton. The tables and pictures below count them among the kernels."
        )
    yield from _files(files, options)
    yield from _splits(drawn, options)
    if drawn.held_out:
        yield from _held_out(drawn.held_out, files)
    yield from _benchmarks(drawn)
    yield from _funnel(drawn)
    for kind in KINDS:
        if numbers[kind]:
            yield from _pictures(folder, kind, statistics)
    yield from _reviewed(drawn, statistics)
    yield from _mixing(drawn, options)
    yield from _estimates(drawn, options)
    yield from _phases(statistics, options)


def _files(files: Sequence[dict[str, Any]], options: Options) -> Iterator[str]:
    tokens = f"tokens ({tokenizer_of(options.tokenizer).name})"
    yield from ("", "## Files", "", f"| file | records | {tokens} | bytes |", "|---|--:|--:|--:|")
    for file in sorted(files, key=lambda file: str(file["path"])):
        yield (
            f"| `{file['path']}` | {file['records']:,} | {file['tokens']:,} | {file['bytes']:,} |"
        )


def _splits(drawn: Draw, options: Options) -> Iterator[str]:
    yield from ("", "## Splits", "")
    yield f"{SPLIT_RULE}{' Each repository stays in one split.' if options.together else ''}"
    yield from ("", "| | asked | records | share |", "|---|--:|--:|--:|")
    tables = splits(drawn, options)
    for kind, found in tables.items():
        for split in SPLITS:
            row = found[split.value]
            yield (
                f"| {kind}, {split.value} | {row['asked']:.0%} | {row['records']:,} "
                f"| {row['share']:.2%} |"
            )
    for kind, found in tables.items():
        if found["remark"]:
            yield from ("", f"Of the {kind}: {found['remark']}")
    for kind, found in tables.items():
        if any(found[split.value]["records"] for split in SPLITS):
            yield from _balance(kind, found)


def _held_out(held_out: HeldOut, files: Sequence[dict[str, Any]]) -> Iterator[str]:
    found = held_out.as_json()
    recipes, dropped = found["recipes"], found["dropped"]
    records = {file["path"]: file["records"] for file in files}
    yield from ("", "### Held-out recipes", "")
    yield (
        f"The configuration `{HELD_OUT}` has the generated pairs in other splits: validation and "
        "test hold whole recipes, chosen by the seed, and train holds none of these. Train and "
        "validation lack the records that are near-duplicates of a record of a later split, or "
        "have the same operations in the same order: "
        f"{dropped['train']:,} were dropped from train and {dropped['validation']:,} from "
        f"validation ([list]({DROPPED})). Python code of nearly the same structure may stand "
        "on both sides. Do not mix it with `pairs`: a record may be in train there and in test "
        "here."
    )
    yield ""
    for split in SPLITS:
        named = f": {', '.join(recipes[split.value])}" if split.value in recipes else ""
        number = records[f"{HELD_OUT}/{split}.jsonl"]
        yield f"- {split.value}, {counted(number, 'record')}{named}"


def _balance(kind: str, found: Mapping[str, Any]) -> Iterator[str]:
    """The counts of each split: by operation type and difficulty, and the largest sources."""
    yield from ("", f"### The splits of the {kind}", "")
    yield f"| | {' | '.join(SPLITS)} |"
    yield f"|---|{'--:|' * len(SPLITS)}"
    for what in ("operation_type", "difficulty"):
        counts = [found[split.value][what] for split in SPLITS]
        for name in sorted(set().union(*counts)):
            yield f"| {name} | {' | '.join(f'{of_split.get(name, 0):,}' for of_split in counts)} |"
    yield ""
    for split in SPLITS:
        for what, plural in (("recipe", "recipes"), ("repository", "repositories")):
            row = found[split.value][what]
            if row["number"]:
                yield (
                    f"- {split.value}: {row['number']:,} {plural}, the largest "
                    f"{row['largest_share']:.1%}; {_in_words(row['top_ten'], 10)}."
                )


def _benchmarks(drawn: Draw) -> Iterator[str]:
    yield from ("", "## Benchmarks", "", " ".join(drawn.coverage.sentences()))
    if not drawn.coverage.compared:
        return
    yield from (
        "",
        "| benchmark | commit | license | problems | all texts |",
        "|---|---|---|--:|--:|",
    )
    for one in drawn.coverage.compared:
        yield (
            f"| {one.name} | `{one.commit[:12]}` | {one.license} | {one.problems:,} "
            f"| {one.texts:,} |"
        )
    yield from (
        "",
        "Compared were a kernel's function and its unit, and both sides of a pair: by syntax with "
        "names and constants set aside, by shingles, and for a problem inside a longer text.",
    )


def _funnel(drawn: Draw) -> Iterator[str]:
    funnel = drawn.funnel()
    stages = list(next(iter(funnel.values())))
    yield from ("", "## What was left out", "", f"| | {' | '.join(funnel)} |")
    yield f"|---|{'--:|' * len(funnel)}"
    for stage in stages:
        yield f"| {stage} | {' | '.join(f'{counts[stage]:,}' for counts in funnel.values())} |"


def _pictures(folder: Path, kind: str, statistics: Statistics) -> Iterator[str]:
    yield from ("", f"## The {kind}s", "")
    counts = statistics.as_json(kind)
    for what, title in PICTURES.items():
        if what in counts:
            path = f"pictures/{kind}s-{what.replace(' ', '-').replace('_', '-')}.svg"
            draw_bars(folder / path, f"{title} of the {kind}s", counts[what])
            yield f"![{title} of the {kind}s: {_in_words(counts[what])}]({path})"
            yield ""


def _in_words(counts: Mapping[str, int], most: int = 5) -> str:
    first = list(counts.items())[:most]
    return ", ".join(f"{name} {count:,}" for name, count in first)


def _reviewed(drawn: Draw, statistics: Statistics) -> Iterator[str]:
    yield from ("## Review and validation", "")
    for kind in KINDS:
        if whole := len(drawn.of(kind)):
            reviewed = statistics.counts[kind]["reviewed"]["yes"]
            yield f"- {reviewed / whole:.1%} of the {kind}s were approved by a person."
    if pairs := len(drawn.pairs):
        devices: Counter[str] = statistics.counts["pair"]["validated on"]
        for device, count in sorted(devices.items()):
            yield f"- {count / pairs:.1%} of the pairs passed their validation on: {device}."
    agreed, disputed = drawn.agreement["agreed"], drawn.agreement["disputed"]
    if agreed + disputed:
        yield (
            f"- Of {counted(agreed + disputed, 'record')} that several people decided on, they "
            f"agreed on {agreed / (agreed + disputed):.1%}."
        )
    else:
        yield "- No record was decided on by more than one person: agreement is not known."


def _mixing(drawn: Draw, options: Options) -> Iterator[str]:
    table = shares(drawn)
    tokens, weighted = sum(s.tokens for s in table), sum(s.weighted for s in table)
    of_all = " of all training tokens |" if options.total_tokens else ""
    yield from ("", "## Mixing", "")
    yield (
        "`metadata.weight` says how much more often than ordinary code a record should be seen. "
        f"Policy: {f'`{options.upsample}`' if options.upsample else 'none, each weighs 1'}"
        f"{', repeated as rows in train' if options.repeat_rows else ''}."
    )
    yield ""
    counter = tokenizer_of(options.tokenizer).name
    yield f"| source | records | tokens ({counter}) | share | weighted tokens | share |{of_all}"
    yield f"|---|--:|--:|--:|--:|--:|{'--:|' if of_all else ''}"
    for share in table:
        line = (
            f"| {share.source} | {share.records:,} | {share.tokens:,} | "
            f"{share.tokens / (tokens or 1):.1%} | {share.weighted:,} | "
            f"{share.weighted / (weighted or 1):.1%} |"
        )
        yield line + (f" {share.weighted / options.total_tokens:.3%} |" if of_all else "")


def _estimates(drawn: Draw, options: Options) -> Iterator[str]:
    """Set the estimate of each source beside the tokens that are exported."""
    exported = {share.source: share.tokens for share in shares(drawn)}
    estimated = sorted(
        (source.name, row.estimated_tokens_low, row.estimated_tokens_high)
        for source in drawn.sources.values()
        if (row := source.row).last_ingested_at and row.estimated_tokens_low is not None
    )
    if not estimated:
        return
    counter = tokenizer_of(options.tokenizer).name
    yield from ("", f"| source | estimated tokens | exported tokens ({counter}) |", "|---|--:|--:|")
    for name, low, high in estimated:
        yield f"| {name} | {low:,} to {high:,} | {exported.get(name, 0):,} |"


def _phases(statistics: Statistics, options: Options) -> Iterator[str]:
    """The mix by phase of training: what is recommended, and what these tokens are of it."""
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
    """Return "50 B" of fifty billion."""
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


def _hub_licenses(statistics: Statistics) -> list[str]:
    """Those of the records, as the Hub calls them."""
    every = {name for kind in KINDS for name in statistics.counts[kind]["license"]}
    names = {name.lower() if name in HUB_LICENSES else "other" for name in every}
    return sorted(names) or ["other"]
