"""Export formats. Each format is a function that yields the files of one split."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from curation.errors import CurationError
from curation.export.folder import OutputFiles
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.options import ExportOptions, ProgressCallback
from curation.export.records import Record
from curation.export.schema import (
    KERNEL,
    PALLAS,
    AlpacaRecord,
    Columns,
    KernelBookRecord,
    ListOf,
    Message,
    TrlRecord,
    pair_columns,
)
from curation.export.splits import SPLITS
from curation.export.statistics import ExportPlan
from curation.export.training.ladders import slower_rungs
from curation.export.training.prompts.phrasing import fenced, instruction
from curation.export.training.prompts.writing import prompt_of, prompt_text
from curation.models import PairOrigin, Split
from curation.tokens import tokenizer_of

# Number of rows of a Parquet row group. A change of this number changes the bytes of exports.
GROUP = 2000


class RecordFile(NamedTuple):
    """A file of one split, with its rows and the number of tokens in the rows' texts."""

    path: str
    rows: Sequence[Mapping[str, Any]]
    tokens: int
    # Columns of the Parquet file. None for a JSON file.
    columns: "Columns | None" = None


@dataclass(frozen=True, slots=True)
class SplitRecords:
    """The records of one split. In train, a record may be repeated as often as its weight says."""

    name: str
    options: ExportOptions
    pairs: Sequence[Record]
    # The pairs without slower rungs of ladders.
    answers: Sequence[Record]
    kernels: Sequence[Record]
    # None if no split has kernels in Pallas.
    pallas: Sequence[Record] | None
    checks: Sequence[str]

    def folders(self) -> Iterator[tuple[str, Sequence[Record], Columns]]:
        """Yield the folders of complete records: pairs, kernels and, if there are any, Pallas."""
        yield "pairs", self.pairs, pair_columns(self.checks)
        yield "kernels", self.kernels, KERNEL
        if self.pallas is not None:
            yield PALLAS, self.pallas, KERNEL

    def count(self, texts: Sequence[str]) -> int:
        return sum(tokenizer_of(self.options.tokenizer).count(texts))

    def instruction(self, pair: Record) -> str:
        return instruction(pair.content_hash, varied=self.options.varied_instructions)

    def conversations(self) -> list[list[Message]]:
        """Return a question and an answer for each pair. The reward service reads the fences."""
        return [
            [
                {
                    "role": "user",
                    "content": f"{self.instruction(pair)}\n\n{fenced(pair.texts[0])}\n",
                },
                {"role": "assistant", "content": f"{fenced(pair.texts[1])}\n"},
            ]
            for pair in self.answers
        ]


def write_formats(
    files: OutputFiles, plan: ExportPlan, options: ExportOptions, progress: ProgressCallback
) -> None:
    """Write the records in all requested formats."""
    for split in _splits(plan, options):
        for name in options.formats:
            for file in FORMATS[name](split):
                progress(f"records written to {file.path}", len(file.rows))
                _write(files, file)
    if plan.held_out:
        for number, name in enumerate(SPLITS):
            pairs = [
                record
                for record in plan.records["pair"]
                if plan.held_out.split_of(record.metadata["recipe"], record.id) == number
            ]
            _write(files, _complete(f"{HELD_OUT}/{name}.jsonl", pairs))


def _splits(plan: ExportPlan, options: ExportOptions) -> Iterator[SplitRecords]:
    kernels = plan.records["kernel"]
    pallas = [record for record in kernels if record.is_pallas]
    triton = [record for record in kernels if not record.is_pallas]
    slower = slower_rungs({record.pk for record in plan.records["pair"]})
    for number, split in enumerate(SPLITS):
        # No record of validation or test is repeated.
        repeat = options.repeat_rows and split == Split.TRAIN
        pairs = _of_split(plan.records["pair"], number, repeat=repeat)
        yield SplitRecords(
            split.value,
            options,
            pairs,
            [pair for pair in pairs if pair.pk not in slower],
            _of_split(triton, number, repeat=repeat),
            _of_split(pallas, number, repeat=repeat) if pallas else None,
            plan.checks,
        )


def _of_split(records: Sequence[Record], split: int, *, repeat: bool) -> list[Record]:
    return [
        record
        for record in records
        if record.split == split
        for _ in range(max(1, round(record.metadata["weight"])) if repeat else 1)
    ]


def _write(files: OutputFiles, file: RecordFile) -> None:
    if file.columns is None:
        files.write_records(file.path, file.rows, file.tokens)
    else:
        path = files.folder / file.path
        _write_parquet(path, file.rows, file.columns)
        files.add(file.path, path.read_bytes())
        files.note_records(file.path, len(file.rows), file.tokens)


def _complete(path: str, records: Sequence[Record], columns: "Columns | None" = None) -> RecordFile:
    return RecordFile(path, [record.document for record in records], _tokens(records), columns)


def _tokens(records: Sequence[Record]) -> int:
    return sum(record.metadata["tokens"] for record in records)


def _jsonl(split: SplitRecords) -> Iterator[RecordFile]:
    for folder, records, _ in split.folders():
        yield _complete(f"{folder}/{split.name}.jsonl", records)


def _parquet(split: SplitRecords) -> Iterator[RecordFile]:
    for folder, records, columns in split.folders():
        yield _complete(f"parquet/{folder}/{split.name}.parquet", records, columns)


def _alpaca(split: SplitRecords) -> Iterator[RecordFile]:
    """Yield the pairs in Alpaca's three columns, for trainers that support only these columns."""
    rows: list[AlpacaRecord] = [
        {
            "instruction": split.instruction(pair),
            "input": fenced(pair.texts[0]),
            "output": fenced(pair.texts[1]),
        }
        for pair in split.answers
    ]
    texts = [text for row in rows for text in (row["instruction"], row["input"], row["output"])]
    yield RecordFile(f"alpaca/{split.name}.jsonl", rows, split.count(texts))


def _kernelbook(split: SplitRecords) -> Iterator[RecordFile]:
    """Yield the pairs in KernelBook's columns, for code that was written for that dataset."""
    rows = [_kernelbook_row(pair) for pair in split.answers]
    texts = [pair.texts[column] for pair in split.answers for column in (0, 1, 1)]
    yield RecordFile(f"kernelbook/{split.name}.jsonl", rows, split.count(texts))


def _kernelbook_row(record: Record) -> KernelBookRecord:
    pair, metadata, place = record.document, record.metadata, record.metadata["provenance"]
    return {
        "entry_point": metadata["entry_point"],
        "python_code": pair["python_code"],
        "triton_code": pair["triton_code"],
        "original_triton_code": pair["triton_code"],
        "repo_name": place["repository"],
        "module_name": metadata["entry_point"],
        "synthetic": metadata["origin"] == PairOrigin.TEMPLATE,
        # 63 bits, because loaders read the column as signed 64-bit integers.
        "uuid": int(record.content_hash[:16], 16) >> 1,
        "licenses": [metadata["license"]],
        "stars": metadata["stars"],
        "sha": place["commit"],
        "repo_link": place["url"],
    }


def _prompts(split: SplitRecords) -> Iterator[RecordFile]:
    """Yield the files of pairs' prompts: prompts/, and texts for torchtune's text completion."""
    rows = [prompt for pair in split.answers if (prompt := prompt_of(pair))]
    texts = [prompt_text(prompt) for prompt in rows]
    tokens = split.count(texts)
    yield RecordFile(f"prompts/{split.name}.jsonl", rows, tokens)
    inputs = [{"input": text} for text in texts]
    yield RecordFile(f"torchtune/prompts_{split.name}.json", inputs, tokens)


def _torchtune(split: SplitRecords) -> Iterator[RecordFile]:
    """Yield the files for torchtune: kernels as texts, pairs as instructions and as chats.

    torchtune trains on every record of a file, so each file contains only one split. The file
    `triton_functions.json` contains the kernels of train.
    """
    train = split.name == Split.TRAIN
    path = "triton_functions" if train else f"torchtune/triton_functions_{split.name}"
    inputs = [{"input": kernel.document["input"]} for kernel in split.kernels]
    yield RecordFile(f"{path}.json", inputs, _tokens(split.kernels))
    chats = split.conversations()
    tokens = split.count([message["content"] for chat in chats for message in chat])
    instruct = [{"input": ask["content"], "output": tell["content"]} for ask, tell in chats]
    yield RecordFile(f"torchtune/instruct_{split.name}.json", instruct, tokens)
    messages = [{"messages": chat} for chat in chats]
    yield RecordFile(f"torchtune/chat_{split.name}.json", messages, tokens)


def _trl(split: SplitRecords) -> Iterator[RecordFile]:
    """Yield the pairs in TRL's columns. `pair_id` tells a reward function the reference."""
    chats = split.conversations()
    rows: list[TrlRecord] = [
        {"prompt": chat[:1], "completion": chat[1:], "pair_id": pair.id}
        for pair, chat in zip(split.answers, chats, strict=True)
    ]
    tokens = split.count([message["content"] for chat in chats for message in chat])
    yield RecordFile(f"trl/{split.name}.jsonl", rows, tokens)


FORMATS: dict[str, Callable[[SplitRecords], Iterator[RecordFile]]] = {
    "torchtune": _torchtune,
    "jsonl": _jsonl,
    "parquet": _parquet,
    "alpaca": _alpaca,
    "kernelbook": _kernelbook,
    "trl": _trl,
    "prompts": _prompts,
}


# --- Parquet ---------------------------------------------------------------------------------
def _write_parquet(path: Path, rows: Sequence[Mapping[str, Any]], columns: Columns) -> None:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise CurationError(
            "Parquet needs pyarrow: pip install 'triton-curation[parquet]', or leave the "
            "format out."
        ) from None

    def fields(columns: Columns) -> list[Any]:
        return [pa.field(name, arrow_type(column)) for name, column in columns.items()]

    def arrow_type(column: Any) -> Any:
        if isinstance(column, dict):
            return pa.struct(fields(column))
        if isinstance(column, ListOf):
            return pa.list_(arrow_type(column.of))
        return pa.type_for_alias(column)

    table = pa.Table.from_pylist(rows, pa.schema(fields(columns)))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="zstd", row_group_size=GROUP)
