"""Writers of the formats. Each gets the records in output order, and lists its files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from curation.export.folder import LineFile, decode, encode
from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.held_out import HeldOut
from curation.export.options import ExportOptions
from curation.export.schema import (
    PALLAS,
    AlpacaRecord,
    Columns,
    KernelBookRecord,
)
from curation.export.splits import SPLITS
from curation.export.training.json_array import JsonArray, fenced
from curation.export.training.parquet import ParquetFile
from curation.export.training.prompts.phrasing import instruction
from curation.export.training.prompts.writing import Prompts
from curation.models import PairOrigin, Split

BATCH = 1000
TRAIN = SPLITS.index(Split.TRAIN)


@dataclass(slots=True)
class Record:
    """A record with its split. `line` is the whole record as JSON."""

    kind: str
    pk: int
    content_hash: str
    split: int
    weight: float
    tokens: int
    language: str
    line: str
    _document: dict[str, Any] | None = None

    @property
    def document(self) -> dict[str, Any]:
        if self._document is None:
            self._document = decode(self.line)
        return self._document

    @property
    def metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = self.document["metadata"]
        return metadata

    @property
    def id(self) -> str:
        name: str = self.document["id"] if self.kind == "pair" else self.metadata["id"]
        return name

    @property
    def folder_kind(self) -> str:
        """Return the kind of its files.

        Pallas kernels have their own, because they are not Triton.
        """
        return PALLAS if self.language == PALLAS else self.kind

    def add_checks(self, names: Sequence[str]) -> None:
        """Add a null for each check that only other records' validations made."""
        if verified := self.metadata["verified"]:
            verified["checks"] = {name: verified["checks"].get(name) for name in names}
        self.line = encode(self.document)


@dataclass(frozen=True, slots=True)
class FormatTarget:
    """Output folder and options of a format.

    count: counts the tokens of texts. A rebuilt release has its counts in its manifest.
    """

    folder: Path
    options: ExportOptions
    pair_columns: Columns
    kernel_columns: Columns
    count: Callable[[Sequence[str]], list[int]]
    held_out: HeldOut | None = None


class Format(Protocol):
    def write(self, kind: str, split: int, records: Sequence[Record]) -> None: ...

    def files(self) -> list[dict[str, Any]]:
        """Return the entries of the manifest, after all records were written."""
        ...


def write_formats(target: FormatTarget, records: Iterator[Record]) -> list[dict[str, Any]]:
    """Write the records in all requested formats, and return the entries of the manifest."""
    names = [*target.options.formats, *([HELD_OUT] if target.held_out else [])]
    with ExitStack() as stack:
        formats = [WRITERS[name](target, stack) for name in names]
        while batch := list(islice(records, BATCH)):
            by_file: dict[tuple[str, int], list[Record]] = {}
            for record in batch:
                times = _repeats(record, target.options)
                by_file.setdefault((record.folder_kind, record.split), []).extend([record] * times)
            for (kind, split), same_file in by_file.items():
                for written in formats:
                    written.write(kind, split, same_file)
    return [file for written in formats for file in written.files()]


def _repeats(record: Record, options: ExportOptions) -> int:
    """Return how often a record is in its file. Validation and test repeat no record."""
    return max(1, round(record.weight)) if options.repeat_rows and record.split == TRAIN else 1


TEXT_COLUMNS = ("instruction", "input", "output", "python_code", "triton_code",
                "original_triton_code")  # fmt: skip


class JsonLines:
    """A folder for each kind of record, with a line of JSON for each record.

    row: the columns of a record; None for the whole record.
    """

    def __init__(
        self, target: FormatTarget, stack: ExitStack, folders: dict[str, str],
        row: Callable[[Record], Mapping[str, Any]] | None = None,
    ) -> None:  # fmt: skip
        self._folder = target.folder
        self._stack = stack
        self._row = row
        self._count = target.count
        self._files = {kind: self._open(folder) for kind, folder in folders.items()}

    def _open(self, folder: str) -> list[LineFile]:
        return [
            self._stack.enter_context(LineFile(self._folder / folder / f"{split}.jsonl"))
            for split in SPLITS
        ]

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind == PALLAS and kind not in self._files and "kernel" in self._files:
            # The folder exists only if there are Pallas kernels.
            self._files[kind] = self._open(PALLAS)
        if kind not in self._files:
            return
        file = self._files[kind][split]
        if self._row is None:
            file.write([record.line for record in records], _tokens(records))
            return
        rows = [self._row(record) for record in records]
        texts = [row[name] for row in rows for name in TEXT_COLUMNS if name in row]
        file.write([encode(row) for row in rows], sum(self._count(texts)))

    def files(self) -> list[dict[str, Any]]:
        return [file.as_json(self._folder) for files in self._files.values() for file in files]


def jsonl(target: FormatTarget, stack: ExitStack) -> Format:
    """Whole records: pairs/, kernels/ and pallas/."""
    folders = {"pair": "pairs", "kernel": "kernels"}
    return JsonLines(target, stack, folders)


def alpaca(target: FormatTarget, stack: ExitStack) -> Format:
    """Three columns, for trainers without support for others. Pairs only."""
    varied = target.options.varied_instructions
    return JsonLines(
        target, stack, {"pair": "alpaca"}, lambda record: _alpaca_row(record, varied=varied)
    )


def _alpaca_row(record: Record, *, varied: bool) -> AlpacaRecord:
    pair = record.document
    return {
        "instruction": instruction(record.content_hash, varied=varied),
        "input": pair["python_code"],
        "output": pair["triton_code"],
    }


def kernelbook(target: FormatTarget, stack: ExitStack) -> Format:
    """Pairs in KernelBook's columns, for code that was written for it."""
    return JsonLines(target, stack, {"pair": "kernelbook"}, _kernelbook_row)


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
        # 63 bits, because readers take it for a signed number.
        "uuid": int(record.content_hash[:16], 16) >> 1,
        "licenses": [metadata["license"]],
        "stars": metadata["stars"],
        "sha": place["commit"],
        "repo_link": place["url"],
    }


class HeldOutRecipes(JsonLines):
    """The generated pairs as in pairs/, split by recipe, without repetition."""

    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        super().__init__(target, stack, {"pair": HELD_OUT})
        self._held_out = target.held_out or HeldOut({}, {})
        self._last = ""

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        for record in records if kind == "pair" else ():
            # A record that is repeated in train comes several times in a row.
            if record.id == self._last:
                continue
            self._last = record.id
            number = self._held_out.split_of(record.metadata["recipe"], record.id)
            if number is not None:
                super().write(kind, number, [record])


def _tokens(records: Sequence[Record]) -> int:
    return sum([record.tokens for record in records])


# --- torchtune -------------------------------------------------------------------------------
class Torchtune:
    """Text completion of kernels; instructions and chats of pairs.

    torchtune trains on every record of a file, so each file contains one split only;
    `triton_functions.json` is the one to train on.
    """

    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        self._folder = target.folder
        self._fenced = target.options.fenced
        self._varied = target.options.varied_instructions
        self._count = target.count
        names = ["triton_functions", *(f"torchtune/triton_functions_{s}" for s in SPLITS[1:])]
        self._completion = [self._open(name, stack) for name in names]
        self._instruct = [self._open(f"torchtune/instruct_{split}", stack) for split in SPLITS]
        self._chat = [self._open(f"torchtune/chat_{split}", stack) for split in SPLITS]

    def _open(self, name: str, stack: ExitStack) -> JsonArray:
        return stack.enter_context(JsonArray(LineFile(self._folder / f"{name}.json")))

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind == PALLAS:
            return
        if kind == "kernel":
            inputs = [self._input(record) for record in records]
            self._completion[split].write(inputs, _tokens(records))
            return
        questions = [
            (self._question(record), self._shown(record.document["triton_code"]))
            for record in records
        ]
        instruct = [encode({"input": question, "output": answer}) for question, answer in questions]
        chat = [
            encode(
                {
                    "messages": [
                        {"role": "user", "content": question},
                        {"role": "assistant", "content": answer},
                    ]
                }
            )
            for question, answer in questions
        ]
        tokens = sum(self._count([text for both in questions for text in both]))
        self._instruct[split].write(instruct, tokens)
        self._chat[split].write(chat, tokens)

    def _input(self, record: Record) -> str:
        if self._fenced:
            return encode({"input": fenced(record.document["input"])})
        # A quote inside a string is escaped, so the first match ends the input. Decoding the record
        # takes a tenth of an export's time.
        return record.line[: record.line.index('","metadata":') + 1] + "}"

    def _question(self, record: Record) -> str:
        sentence = instruction(record.content_hash, varied=self._varied)
        return f"{sentence}\n\n{fenced(record.document['python_code'])}"

    def _shown(self, text: str) -> str:
        return fenced(text) if self._fenced else text

    def files(self) -> list[dict[str, Any]]:
        every = (*self._completion, *self._instruct, *self._chat)
        return [array.file.as_json(self._folder) for array in every]


class Parquet:
    """pairs/, kernels/ and pallas/ with the columns of the JSON lines."""

    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        self._target = target
        self._stack = stack
        self._files = {
            "pair": self._open("pairs", target.pair_columns),
            "kernel": self._open("kernels", target.kernel_columns),
        }

    def _open(self, folder: str, columns: Columns) -> list[ParquetFile]:
        beside = self._target.folder / "parquet" / folder
        return [
            self._stack.enter_context(ParquetFile(beside / f"{split}.parquet", columns))
            for split in SPLITS
        ]

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind not in self._files:
            self._files[kind] = self._open(kind, self._target.kernel_columns)
        for record in records:
            self._files[kind][split].write(record.document, record.tokens)

    def files(self) -> list[dict[str, Any]]:
        folder = self._target.folder
        return [file.as_json(folder) for files in self._files.values() for file in files]


WRITERS: dict[str, Callable[[FormatTarget, ExitStack], Format]] = {
    "torchtune": Torchtune,
    "jsonl": jsonl,
    "parquet": Parquet,
    "alpaca": alpaca,
    "kernelbook": kernelbook,
    "prompts": Prompts,
    HELD_OUT: HeldOutRecipes,
}
