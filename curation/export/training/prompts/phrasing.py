"""Three phrasings of a pair's task, from fixed frames for its description, call and inputs.

The content hash chooses the frames, so the same pair always has the same phrasings. Phrasings that
break a rule of `flaws` are dropped. If all are dropped, the pair's description is used.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from curation.export.training.prompts.cases import parameters_of
from curation.export.training.prompts.operation_nouns import operation_nouns

MOST_WORDS = 60
KERNEL = "a Triton kernel"
# Description of a pair whose real code has no docstring. It contains only the function's name.
NAME_ONLY = re.compile(r"Compute (`\w+`)(?: \(([\w-]+)\))?\.")
SOURCE = re.compile(r", (?:as its test in \S+ compares it|from \S+/\S+)\.?$")
# Options of the launcher, which are removed because the reference may lack them.
OPTION = re.compile(r", optionally [^,.]*(?=[,.]|$)")
INTERNALS = re.compile(
    r"\btl\.|@triton|\btriton\.|constexpr|program_id|num_warps|num_stages|BLOCK|block size"
    r"|\w_kernel\b"
)
# Frames in three styles: a command, a request of a user, a specification.
STYLES = (
    (
        "Write a Triton kernel with a launcher {signature}. {task}",
        "Implement {signature} as a Triton kernel. {task}",
        "{task} Write a Triton kernel for this, called as {signature}.",
    ),
    (
        "I need a fast GPU version of {signature}. {task}",
        "Can you write {signature} for the GPU? {task}",
        "My code calls {signature}. Please make it one GPU function. {task}",
    ),
    (
        "{task} Provide this as one GPU function {name}. {inputs}",
        "The task of the GPU function {name}: {task} {inputs}",
        "Our model needs one GPU function {name}. {inputs} {task}",
    ),
)


@dataclass(frozen=True, slots=True)
class Phrasings:
    texts: tuple[str, ...]
    from_grammar: bool
    """False if the only text is the description of the pair."""

    def choose(self, content_hash: str) -> str:
        return self.texts[stable_number(content_hash, "phrasing") % len(self.texts)]


def phrase(*, description: str, python_code: str, entry_point: str, content_hash: str) -> Phrasings:
    """Return a phrasing in each style, or only the description if no phrasing passes the rules."""
    parameters = parameters_of(python_code, entry_point)
    if not description or parameters is None:
        return Phrasings((description,), False)
    task = OPTION.sub("", SOURCE.sub(".", description))
    if match := NAME_ONLY.fullmatch(task):
        kind = {"gather-scatter": "indexing", "matmul": "matrix", None: ""}.get(match[2], match[2])
        task = f"Compute the {f'{kind} ' if kind else ''}function {match[1]}."
        if nouns := operation_nouns(python_code, entry_point):
            task += f" It involves {_enumerated(nouns)}."
    texts = [
        frames[stable_number(content_hash, f"frame {style}") % len(frames)].format(
            task=task,
            name=f"`{entry_point}`",
            signature=f"`{entry_point}({', '.join(parameters)})`",
            inputs=_inputs_sentence(parameters),
        )
        for style, frames in enumerate(STYLES)
    ]
    sound = tuple(text for text in texts if not flaws(text, entry_point, parameters))
    return Phrasings(sound or (description,), bool(sound))


def flaws(text: str, entry_point: str, parameters: Sequence[str]) -> list[str]:
    """Return the rules that a phrasing breaks."""
    broken = []
    if len(text.split()) > MOST_WORDS:
        broken.append(f"It has more than {MOST_WORDS} words.")
    broken += [f"It does not name the input {name}." for name in parameters
               if not re.search(rf"\b{re.escape(name.lstrip('*'))}\b", text)]  # fmt: skip
    # The entry point may occur, even if its name looks like the name of a kernel.
    if INTERNALS.search(text.replace(entry_point, "")):
        broken.append("It names an internal of Triton.")
    return broken


def _inputs_sentence(parameters: Sequence[str]) -> str:
    names = _enumerated([f"`{name.lstrip('*')}`" for name in parameters])
    if len(parameters) == 1:
        return f"The input is {names}."
    return f"The inputs are {names}." if names else "It has no inputs."


def _enumerated(names: Sequence[str]) -> str:
    """Join names: "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def stable_number(content_hash: str, purpose: str) -> int:
    """Return a pseudo-random number that depends only on the content and the purpose."""
    digest = hashlib.sha256(f"{purpose} {content_hash}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


# --- Instructions of the instruct, chat and alpaca records, above the PyTorch function ---------
INSTRUCTION = (
    "Rewrite this PyTorch function as a Triton kernel with a launcher of the same name and "
    "signature."
)
VARIED = (
    INSTRUCTION,
    "Write a Triton kernel for the function below. Keep its name and its arguments.",
    "Translate this PyTorch code to Triton. The launcher must have the same name and signature.",
    "Here is a PyTorch reference. Give me a Triton version that I can call the same way.",
    "Can you write this as a Triton kernel? I want to replace the function without other changes.",
    "Port the following function from PyTorch to Triton, with a drop-in launcher.",
    "This PyTorch function is too slow. Please write it in Triton, with the same call.",
    "Implement the function below as a Triton kernel, with a Python function around it that has "
    "the same name and parameters.",
    "I need a Triton implementation that returns the same results as this PyTorch function for "
    "the same arguments.",
    "Convert this to a Triton kernel and its launcher. Name and signature stay the same.",
    "Please replace the PyTorch operations in this function with a Triton kernel. Callers must "
    "not notice the difference.",
    "Below is the reference in PyTorch. Write the matching Triton kernel and the function that "
    "launches it.",
)


def instruction(content_hash: str, *, varied: bool) -> str:
    """Return the instruction of a pair: INSTRUCTION or, if `varied`, one chosen by content hash."""
    if not varied:
        return INSTRUCTION
    return VARIED[stable_number(content_hash, "instruction") % len(VARIED)]


def fenced(text: str, language: str = "python") -> str:
    return f"```{language}\n{text.strip()}\n```"
