"""Sections of the dataset card, each as lines of Markdown."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from curation.evidence.claim_types import TOPICS
from curation.export.gates import PERSON
from curation.export.held_out import DROPPED, HeldOut
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.options import ExportOptions
from curation.export.schema import NONE
from curation.export.splits import SPLITS
from curation.export.statistics import (
    KINDS,
    SPLIT_RULE,
    ExportPlan,
    Statistics,
    shares,
    split_tables,
)
from curation.text import pluralize
from curation.tokens import tokenizer_of

LEFT, WIDE, HIGH, MOST = 190, 360, 22, 14

STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2933}.bar{fill:#3b6ea5}.n{fill:#52606d}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.bar{fill:#7fb0e0}.n{fill:#9aa5b1}}"
)

PICTURES = {
    "operation_type": "Operations",
    "license": "Licenses",
    "origin": "Origins",
    "category": "Sources by category",
    "validated on": "Validation devices",
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
    yield from ("", "| split | planned | records | share |", "|---|--:|--:|--:|")
    tables = split_tables(plan, options)
    for kind, table in tables.items():
        for split in SPLITS:
            row = table[split.value]
            yield (
                f"| {kind}, {split.value} | {row['asked']:.0%} | {row['records']:,} "
                f"| {row['share']:.2%} |"
            )
    for kind, table in tables.items():
        if table["remark"]:
            yield from ("", f"{kind.capitalize()}: {table['remark']}")
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
    yield f"| group | {' | '.join(SPLITS)} |"
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
                noun = what if row["number"] == 1 else plural
                yield (
                    f"- {split.value}: {row['number']:,} {noun}, the largest "
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
    funnel = plan.stages()
    stages = list(next(iter(funnel.values())))
    yield from ("", "## Excluded items", "", f"| stage | {' | '.join(funnel)} |")
    yield f"|---|{'--:|' * len(funnel)}"
    for stage in stages:
        yield f"| {stage} | {' | '.join(f'{counts[stage]:,}' for counts in funnel.values())} |"


def pictures_section(folder: Path, kind: str, statistics: Statistics) -> Iterator[str]:
    yield from ("", f"## The {kind}s", "")
    counts = statistics.as_json(kind)
    for what, title in PICTURES.items():
        if what in counts:
            path = f"pictures/{kind}s-{what.replace(' ', '-').replace('_', '-')}.svg"
            _draw_bars(folder / path, f"{title} of the {kind}s", counts[what])
            yield f"![{title} of the {kind}s: {_in_words(counts[what])}]({path})"
            yield ""


def _draw_bars(path: Path, title: str, counts: Mapping[str, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bars(title, counts).encode())


def bars(title: str, counts: Mapping[str, int]) -> str:
    """Draw bars in descending order; those after the fourteenth are added up."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = ordered[:MOST]
    if rest := ordered[MOST:]:
        rows.append((f"{len(rest)} others", sum(count for _, count in rest)))
    most = max((count for _, count in rows), default=0) or 1
    width, height = LEFT + WIDE + 90, 40 + HIGH * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<text x="8" y="20" font-weight="600">{escape(title)}</text>',
    ]
    for number, (name, count) in enumerate(rows):
        y = 36 + HIGH * number
        length = max(1, round(WIDE * count / most))
        lines += [
            f'<text x="{LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(_short(name))}</text>',
            f'<rect class="bar" x="{LEFT}" y="{y}" width="{length}" height="{HIGH - 6}" rx="2"/>',
            f'<text class="n" x="{LEFT + length + 6}" y="{y + 12}">{count:,}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def _short(name: str) -> str:
    return name if len(name) <= 26 else f"{name[:25]}…"


def _in_words(counts: Mapping[str, int], most: int = 5) -> str:
    first = list(counts.items())[:most]
    return ", ".join(f"{name} {count:,}" for name, count in first)


def review_section(plan: ExportPlan, statistics: Statistics) -> Iterator[str]:
    yield from ("## Review and validation", "")
    for kind in KINDS:
        if whole := len(plan.rows[kind]):
            reviewed = statistics.counts[kind]["reviewed"]["yes"]
            yield f"- {reviewed / whole:.1%} of the {kind}s were approved by a person."
    by: Counter[str] = sum((statistics.counts[kind]["approved by"] for kind in KINDS), Counter())
    people = "1 person" if len(plan.people) == 1 else f"{len(plan.people):,} people"
    programs = sum(count for kind, count in by.items() if kind not in (PERSON, NONE))
    yield f"- Approved by {people}: {by[PERSON]:,}; by programs: {programs:,}."
    if pairs := len(plan.rows["pair"]):
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


def claims_section(plan: ExportPlan, statistics: Statistics) -> Iterator[str]:
    """Yield how many records leave each claim open: what their evidence does not show."""
    yield from ("## Open claims", "", "| not shown | pairs | kernels |", "|---|--:|--:|")
    for topic in (*TOPICS, "none"):
        counts = [statistics.counts[kind]["open claims"][topic] for kind in KINDS]
        if any(counts):
            yield f"| {topic} | {counts[0]:,} | {counts[1]:,} |"


def mixing_section(plan: ExportPlan, options: ExportOptions) -> Iterator[str]:
    table = shares(plan)
    tokens, weighted = sum(s.tokens for s in table), sum(s.weighted_tokens for s in table)
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
            f"{share.tokens / (tokens or 1):.1%} | {share.weighted_tokens:,} | "
            f"{share.weighted_tokens / (weighted or 1):.1%} |"
        )
        yield line + (f" {share.weighted_tokens / options.total_tokens:.3%} |" if of_all else "")


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
