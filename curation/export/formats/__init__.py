"""Export formats, one module each. A format takes records one by one and lists its files."""

from curation.export.formats.alpaca import Alpaca
from curation.export.formats.held_out_recipes import HeldOutRecipes
from curation.export.formats.kernelbook import KernelBook
from curation.export.formats.parquet import Parquet
from curation.export.formats.split_jsonl import SplitJsonl
from curation.export.formats.torchtune import Torchtune
from curation.export.formats.writing import Format
from curation.export.held_out import FOLDER as HELD_OUT

FORMATS: dict[str, type[Format]] = {
    "torchtune": Torchtune,
    "jsonl": SplitJsonl,
    "parquet": Parquet,
    "alpaca": Alpaca,
    "kernelbook": KernelBook,
    HELD_OUT: HeldOutRecipes,
}
