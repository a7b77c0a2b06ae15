"""Sections of the dataset card, each as lines of Markdown."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from curation.export.held_out import DROPPED, HeldOut
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.manifest import SPLIT_RULE, shares, splits
from curation.export.mixing import by_phase
from curation.export.options import ExportOptions
from curation.export.pictures import draw_bars
from curation.export.plan import KINDS, ExportPlan
from curation.export.splits import SPLITS
from curation.export.statistics import Statistics
from curation.text import pluralize
from curation.tokens import tokenizer_of

PICTURES = {
    "operation_type": "Operations",
    "license": "Licenses",
    "origin": "Origins",
    "category": "Sources by category",
    "validated on": "Where it was validated",
}


def files_table(files: Sequence[dict[str, Any]], options: ExportOptions) -> Iterator[str]:
    tokens = f"tokens ({tokenizer_of(options.tokenizer).name})"
    yield from ("", "## Files", "", f"| file | records | {tokens} | bytes |", "|---|--:|--:|--:|")
    for file in sorted(files, key=lambda file: str(file["path"])):
        yield (
            f"| `{file['path']}` | {file['records']:,} | {file['tokens']:,} | {file['bytes']:,} |"
        )


def splits_section(plan: ExportPlan, options: ExportOptions) -> Iterator[str]:
    yield from ("", "## Splits", "")
    yield f"{SPLIT_RULE}{' Each repository stays in one split.' if options.together else ''}"
    yield from ("", "| | asked | records | share |", "|---|--:|--:|--:|")
    tables = splits(plan, options)
    for kind, table in tables.items():
        for split in SPLITS:
            row = table[split.value]
            yield (
                f"| {kind}, {split.value} | {row['asked']:.0%} | {row['records']:,} "
                f"| {row['share']:.2%} |"
            )
    for kind, table in tables.items():
        if table["remark"]:
            yield from ("", f"Of the {kind}: {table['remark']}")
    for kind, table in tables.items():
        if any(table[split.value]["records"] for split in SPLITS):
            yield from _balance(kind, table)


def held_out_section(held_out: HeldOut, files: Sequence[dict[str, Any]]) -> Iterator[str]:
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
        f"validation ([list]({DROPPED})). Python code of nearly the same structure may be "
        "on both sides. Do not mix it with `pairs`: a record may be in train there and in test "
        "here."
    )
    yield ""
    for split in SPLITS:
        named = f": {', '.join(recipes[split.value])}" if split.value in recipes else ""
        number = records[f"{HELD_OUT}/{split}.jsonl"]
        yield f"- {split.value}, {pluralize(number, 'record')}{named}"


def _balance(kind: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield the counts of each split by operation type and difficulty, and the largest sources."""
    yield from ("", f"### The splits of the {kind}", "")
    yield f"| | {' | '.join(SPLITS)} |"
    yield f"|---|{'--:|' * len(SPLITS)}"
    for what in ("operation_type", "difficulty"):
        counts = [table[split.value][what] for split in SPLITS]
        for name in sorted(set().union(*counts)):
            yield f"| {name} | {' | '.join(f'{of_split.get(name, 0):,}' for of_split in counts)} |"
    yield ""
    for split in SPLITS:
        for what, plural in (("recipe", "recipes"), ("repository", "repositories")):
            row = table[split.value][what]
            if row["number"]:
                yield (
                    f"- {split.value}: {row['number']:,} {plural}, the largest "
                    f"{row['largest_share']:.1%}; {_in_words(row['top_ten'], 10)}."
                )


def benchmarks_section(plan: ExportPlan) -> Iterator[str]:
    yield from ("", "## Benchmarks", "", " ".join(plan.coverage.sentences()))
    if not plan.coverage.compared:
        return
    yield from (
        "",
        "| benchmark | commit | license | problems | all texts |",
        "|---|---|---|--:|--:|",
    )
    for benchmark in plan.coverage.compared:
        yield (
            f"| {benchmark.name} | `{benchmark.commit[:12]}` | {benchmark.license} "
            f"| {benchmark.problems:,} | {benchmark.texts:,} |"
        )
    yield from (
        "",
        "Compared were a kernel's function and its unit, and both sides of a pair: by syntax with "
        "names and constants ignored, by shingles, and for a problem inside a longer text.",
    )


def left_out_section(plan: ExportPlan) -> Iterator[str]:
    funnel = plan.funnel()
    stages = list(next(iter(funnel.values())))
    yield from ("", "## What was left out", "", f"| | {' | '.join(funnel)} |")
    yield f"|---|{'--:|' * len(funnel)}"
    for stage in stages:
        yield f"| {stage} | {' | '.join(f'{counts[stage]:,}' for counts in funnel.values())} |"


def pictures_section(folder: Path, kind: str, statistics: Statistics) -> Iterator[str]:
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


def review_section(plan: ExportPlan, statistics: Statistics) -> Iterator[str]:
    yield from ("## Review and validation", "")
    for kind in KINDS:
        if whole := len(plan.of(kind)):
            reviewed = statistics.counts[kind]["reviewed"]["yes"]
            yield f"- {reviewed / whole:.1%} of the {kind}s were approved by a person."
    if pairs := len(plan.pairs):
        devices: Counter[str] = statistics.counts["pair"]["validated on"]
        for device, count in sorted(devices.items()):
            yield f"- {count / pairs:.1%} of the pairs passed their validation on: {device}."
    agreed, disputed = plan.agreement["agreed"], plan.agreement["disputed"]
    if agreed + disputed:
        yield (
            f"- Of {pluralize(agreed + disputed, 'record')} that several people decided on, they "
            f"agreed on {agreed / (agreed + disputed):.1%}."
        )
    else:
        yield "- No record was decided on by more than one person: agreement is not known."


def mixing_section(plan: ExportPlan, options: ExportOptions) -> Iterator[str]:
    table = shares(plan)
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


def estimates_table(plan: ExportPlan, options: ExportOptions) -> Iterator[str]:
    """Yield a table of each source's estimated and exported tokens."""
    exported = {share.source: share.tokens for share in shares(plan)}
    estimated = sorted(
        (source.name, row.estimated_tokens_low, row.estimated_tokens_high)
        for source in plan.sources.values()
        if (row := source.row).last_ingested_at and row.estimated_tokens_low is not None
    )
    if not estimated:
        return
    counter = tokenizer_of(options.tokenizer).name
    yield from ("", f"| source | estimated tokens | exported tokens ({counter}) |", "|---|--:|--:|")
    for name, low, high in estimated:
        yield f"| {name} | {low:,} to {high:,} | {exported.get(name, 0):,} |"


def phases_table(statistics: Statistics, options: ExportOptions) -> Iterator[str]:
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
