"""Section of the card that explains each configuration and file: its content, size and use."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from curation.export.held_out import FOLDER as HELD_OUT
from curation.export.schema import PALLAS
from curation.export.training.ladders import FOLDER as LADDERS
from curation.export.training.ladders import PREFERENCES
from curation.export.training.prompts.writing import FOLDER as PROMPTS
from curation.export.training.repairs import FOLDER as REPAIRS
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

# Other files, by the start of their path.
FILES: dict[str, str] = {
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


def configurations_section(
    sizes: Mapping[str, int], files: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Yield a list of the configurations by their number of records, and of other files.

    files: entries of the manifest.
    """
    explained = {name: size for name, size in sizes.items() if name in USES}
    if explained:
        yield from ("", "## Configurations", "")
    for name, size in explained.items():
        yield f"- `{name}`, {pluralize(size, 'record')}. {USES[name]}"
    others = {
        start: sum(file["records"] for file in files if file["path"].startswith(start))
        for start in FILES
    }
    if any(others.values()):
        yield from ("", "Other files are no configurations:", "")
    for start, size in others.items():
        if size:
            name = start if start.endswith((".json", "/")) else f"{start}….json"
            yield f"- `{name}`, {pluralize(size, 'record')}. {FILES[start]}"
