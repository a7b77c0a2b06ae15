"""README.md: the dataset card, with the header that the Hub and `datasets` read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from curation.evidence.claim_sheet.types import TOPICS
from curation.export.approvals import PERSON
from curation.export.card.phases import by_phase
from curation.export.card.pictures import bars
from curation.export.folder import OutputFiles
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.options import ExportOptions
from curation.export.schema import (
    KERNEL,
    NONE,
    PALLAS,
    AlpacaRecord,
    Columns,
    KernelBookRecord,
    TrlRecord,
    columns_of,
    features,
    pair_columns,
)
from curation.export.splits import SPLITS
from curation.export.statistics import (
    KINDS,
    SPLIT_RULE,
    ExportPlan,
    Statistics,
    shares,
    split_tables,
)
from curation.export.training import ladders, repairs
from curation.export.training.prompts.writing import PROMPTS
from curation.text import pluralize
from curation.tokens import tokenizer_of

PARQUET = "parquet"

SIZES = (
    (1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)  # fmt: skip

# Licenses that the Hub knows. The Hub writes their names in lower case.
HUB_LICENSES = {
    "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "BSL-1.0", "CC0-1.0",
    "Unlicense",
}  # fmt: skip

PICTURES = {
    "operation_type": "Operations",
    "license": "Licenses",
    "origin": "Origins",
    "category": "Sources by category",
    "validated on": "Validation devices",
}

USES: dict[str, str] = {
    "pairs": "Whole pairs with their tests: for training, and for checking answers.",
    "kernels": "Kernels with their sources: for pretraining on text.",
    HELD_OUT: "Generated pairs in other splits, whole recipes held out: for measuring how a model "
    "generalizes.",
    repairs.FOLDER: "Faulty kernels with the checks that rejected them, and their repair: for "
    "training a model to repair kernels.",
    ladders.FOLDER: "Versions of one function, each faster than the one before: for training a "
    "model to optimize kernels.",
    ladders.PREFERENCES: "A faster and a slower version of one function, both right: for "
    "preference optimization.",
    PALLAS: "Kernels in Pallas, which is not Triton.",
    "alpaca": "Pairs as instruction, input and output: for trainers with these columns.",
    "kernelbook": "Pairs in KernelBook's columns: for code written for that dataset.",
    "trl": "Pairs as prompt and completion: for TRL's `SFTTrainer` and `GRPOTrainer`.",
    "prompts": "The task of each pair in plain English, its PyTorch reference, and its inputs, but "
    "no Triton: for reinforcement learning and for evaluation. The pair with the same `id` has "
    "the answer and the test. `metadata.phrasings` has all wordings of the task, of which "
    "`description` is one; if `metadata.from_grammar` is false, it is the pair's own description. "
    "Pairs whose PyTorch side names Triton are left out.",
}

# Purpose of the files that are in no configuration, by the start of their paths.
OTHER_FILES: dict[str, str] = {
    "triton_functions.json": "The kernels of train as texts: for torchtune's "
    "`text_completion_dataset`.",
    "torchtune/triton_functions_": "The kernels of validation and test in the same form.",
    "torchtune/instruct_": "An instruction with the PyTorch side, and the Triton side: for "
    "torchtune's `instruct_dataset`.",
    "torchtune/chat_": "The same as conversations: for torchtune's `chat_dataset`.",
    "torchtune/prompts_": "The tasks of `prompts` as texts: for torchtune's "
    "`text_completion_dataset`.",
    "reviews/": "Decisions and line comments of reviewers: for training a model to review, and for "
    "measuring agreement. `record` names the record, and `split` its split.",
}


@dataclass(frozen=True, slots=True)
class CardConfiguration:
    """A folder of records, and its files of those splits that have records."""

    name: str
    columns: Columns
    files: Mapping[str, Mapping[str, Any]]

    @property
    def records(self) -> int:
        return sum(file["records"] for file in self.files.values())


def write_card(
    files: OutputFiles, plan: ExportPlan, options: ExportOptions, name: str, statistics: Statistics
) -> None:
    title = f"Triton kernels{f' {name}' if name else ''}"
    entries = files.data_entries()
    # `datasets` reads all configurations of a card as one file type. So Parquet has its own card.
    lines, parquet = (_configurations(entries, plan, root) for root in ("", f"{PARQUET}/"))
    context = {
        **_context(plan, options, statistics),
        "title": title,
        "files": entries,
        "records_of": {entry["path"]: entry["records"] for entry in entries},
        "configurations": lines or parquet,
        "uses": USES,
        "other_files": list(_other_files(entries)),
        "pictures": {
            f"{kind}s": list(_pictures(files, kind, statistics))
            for kind in KINDS
            if plan.records[kind]
        },
    }
    header = _header(title, statistics, lines or parquet, "")
    files.write_text("README.md", header + _template().render(context))
    if parquet:
        text = f"# {title}\n\nThe records of the [folder above](../README.md) as Parquet.\n"
        header = _header(title, statistics, parquet, f"{PARQUET}/")
        files.write_text(f"{PARQUET}/README.md", header + text)


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=False,  # noqa: S701 - it writes Markdown, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "thousands": lambda number: f"{number:,}",
        "percent": lambda share, digits: f"{share:.{digits}%}",
        "pluralize": pluralize,
    }
    return environment.get_template("card.md.j2")


def _context(plan: ExportPlan, options: ExportOptions, statistics: Statistics) -> dict[str, Any]:
    counts, mix = statistics.counts, shares(plan)
    approvals = sum((counts[kind]["approved by"] for kind in KINDS), Counter[str]())
    exported = {share.source: share.tokens for share in mix}
    tokens = {kind: statistics.kinds[kind].tokens for kind in KINDS}
    tokens["kernel"] -= statistics.pallas.tokens
    return {
        "options": options,
        "tokenizer": tokenizer_of(options.tokenizer),
        "split_names": [split.value for split in SPLITS],
        "split_rule": SPLIT_RULE,
        "splits": split_tables(plan, options),
        "size": {f"{kind}s": statistics.kinds[kind] for kind in KINDS},
        "pallas": statistics.pallas,
        "categories": {f"{kind}s": statistics.as_json(kind) for kind in KINDS},
        "held_out": plan.held_out.as_json() if plan.held_out else None,
        "repairs": plan.repairs,
        "ladders": plan.ladders,
        "faster": ladders.FASTER,
        "coverage": plan.coverage,
        "funnel": plan.stages(),
        "people": len(plan.people),
        "by_people": approvals[PERSON],
        "by_programs": sum(n for by, n in approvals.items() if by not in (PERSON, NONE)),
        "devices": counts["pair"]["validated on"],
        "agreement": {name: plan.agreement[name] for name in ("agreed", "disputed")},
        "open_claims": [
            (topic, *both)
            for topic in (*TOPICS, NONE)
            if any(both := [counts[kind]["open claims"][topic] for kind in KINDS])
        ],
        "mix": mix,
        "estimates": sorted(
            (source.name, row.estimated_tokens_low, row.estimated_tokens_high,
             exported.get(source.name, 0))
            for source in plan.sources.values()
            if (row := source.row).last_ingested_at and row.estimated_tokens_low is not None
        ),
        "phases": [row.in_words() for row in by_phase(tokens, options.total_tokens)],
    }  # fmt: skip


def _configurations(
    entries: Sequence[Mapping[str, Any]], plan: ExportPlan, root: str
) -> list[CardConfiguration]:
    pairs = pair_columns(plan.checks)
    columns: dict[str, Columns] = {
        "pairs": pairs,
        "kernels": KERNEL,
        HELD_OUT: pairs,
        repairs.FOLDER: repairs.COLUMNS,
        ladders.FOLDER: ladders.COLUMNS,
        ladders.PREFERENCES: ladders.PREFERENCE_COLUMNS,
        PALLAS: KERNEL,
        "alpaca": columns_of(AlpacaRecord),
        "kernelbook": columns_of(KernelBookRecord),
        "trl": columns_of(TrlRecord),
        "prompts": PROMPTS,
    }
    filled = {entry["path"].rpartition(".")[0]: entry for entry in entries if entry["records"]}
    configurations = [
        CardConfiguration(name, columns[name], {
            split.value: filled[path]
            for split in SPLITS
            if (path := f"{root}{name}/{split}") in filled
        })
        for name in columns
    ]  # fmt: skip
    return [configuration for configuration in configurations if configuration.files]


def _header(
    title: str, statistics: Statistics, configurations: Sequence[CardConfiguration], root: str
) -> str:
    """Return the YAML header. root: the card's folder. Paths in the header are relative to it."""
    number = sum(size.records for size in statistics.kinds.values())
    licenses = {name for kind in KINDS for name in statistics.counts[kind]["license"]}
    known = {name.lower() if name in HUB_LICENSES else "other" for name in licenses}
    header: dict[str, Any] = {
        "pretty_name": title,
        "license": sorted(known) or ["other"],
        "language": ["code", "en"],
        "tags": ["triton", "gpu", "kernels", "code"],
        "task_categories": ["text-generation"],
        "size_categories": [next((size for most, size in SIZES if number < most), "10M<n<100M")],
    }
    if configurations:
        header["configs"] = [
            {
                "config_name": configuration.name,
                "data_files": [
                    {"split": split, "path": file["path"].removeprefix(root)}
                    for split, file in configuration.files.items()
                ],
            }
            for configuration in configurations
        ]
        header["dataset_info"] = [
            {
                "config_name": configuration.name,
                "features": features(configuration.columns),
                "splits": [
                    {"name": split, "num_bytes": file["bytes"], "num_examples": file["records"]}
                    for split, file in configuration.files.items()
                ],
            }
            for configuration in configurations
        ]
    return f"---\n{yaml.safe_dump(header, sort_keys=False, allow_unicode=True)}---\n\n"


def _other_files(entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, int, str]]:
    for start, use in OTHER_FILES.items():
        records = sum(entry["records"] for entry in entries if entry["path"].startswith(start))
        if records:
            yield start if start.endswith((".json", "/")) else f"{start}….json", records, use


def _pictures(files: OutputFiles, kind: str, statistics: Statistics) -> Iterator[dict[str, Any]]:
    counts = statistics.as_json(kind)
    for what, name in PICTURES.items():
        if what in counts:
            path = f"pictures/{kind}s-{what.replace(' ', '-').replace('_', '-')}.svg"
            title = f"{name} of the {kind}s"
            files.write_text(path, bars(title, counts[what]))
            yield {"title": title, "counts": counts[what], "path": path}
