"""Section of the card that explains each configuration: its content, size and use."""

from collections.abc import Iterator, Mapping

from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.ladders import FOLDER as LADDERS
from curation.export.ladders import PREFERENCES
from curation.export.prompts.writing import FOLDER as PROMPTS
from curation.export.repairs import FOLDER as REPAIRS
from curation.export.schema import PALLAS
from curation.text import pluralize

USES: dict[str, str] = {
    "pairs": "Whole pairs with their tests: for training, and for checking answers.",
    "kernels": "Kernels with their sources: for pretraining on text.",
    HELD_OUT: "Generated pairs in other splits, whole recipes held out: for measuring how a model "
    "generalizes.",
    PALLAS: "Kernels in Pallas, which is not Triton.",
    REPAIRS: "Faulty kernels with the checks that rejected them, and their repair: for training a "
    "model to repair kernels.",
    LADDERS: "Versions of one function, each faster than the one before: for training a model to "
    "optimize kernels.",
    PREFERENCES: "A faster and a slower version of one function, both right: for preference "
    "optimization.",
    "alpaca": "Pairs as instruction, input and output: for trainers with these columns.",
    "kernelbook": "Pairs in KernelBook's columns: for code written for that dataset.",
    PROMPTS: "The task of each pair in plain English, its PyTorch reference, and its inputs, but "
    "no Triton: for reinforcement learning and for evaluation. The pair with the same `id` has "
    "the answer and the test. `metadata.phrasings` has all wordings of the task, of which "
    "`description` is one; if `metadata.from_grammar` is false, it is the pair's own description. "
    "Pairs whose PyTorch side names Triton are left out.",
}


def configurations_section(sizes: Mapping[str, int]) -> Iterator[str]:
    """Yield a list of the configurations, by their number of records."""
    explained = {name: size for name, size in sizes.items() if name in USES}
    if not explained:
        return
    yield from ("", "## Configurations", "")
    for name, size in explained.items():
        yield f"- `{name}`, {pluralize(size, 'record')}. {USES[name]}"
