"""Three phrasings of a pair's task, each by a sentence frame around the description's clauses.

The content hash chooses the frames, so the same pair is always phrased alike. A phrasing is kept
if it passes the rules of `flaws`; a pair without three such phrasings keeps its own description.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from curation.export.training.prompts.cases import parameters_of
from curation.export.training.prompts.clauses import (
    Task,
    enumerated,
    gerund,
    listed,
    name_inputs,
    read_task,
    third_person,
)
from curation.export.training.prompts.mentions import (
    Mention,
    missing_mentions,
    operation_nouns,
    required_mentions,
)

MOST_WORDS = 60
KERNEL = "a Triton kernel"
# Descriptions of real code without a docstring name the function only.
TELLING = re.compile(
    r"(?i)norm|softmax|[rgs]elu|silu|swish|rotary|loss|entropy|matmul|attention|embed|conv|quant"
    r"|adam|dropout|cumsum|topk|sort"
)
UNNAMED = re.compile(r"Compute `\w+`(?: \([\w-]+\))?(?:, (?:as its test|from) |\.$)")
INTERNALS = re.compile(
    r"\btl\.|@triton|\btriton\.|constexpr|program_id|num_warps|num_stages|BLOCK|block size"
    r"|\w_kernel\b"
)
# "a" before a vowel that is spoken, and "an" before a consonant that is spoken.
WRONG_ARTICLE = re.compile(
    r"\ba (?=[aeio]|un(?!i|y)|ELU|L[12]\b|RMS|MSE|8)(?!one\b|once\b|eu)"
    r"|\ban (?=[bcdfgjkpqtvwyz]|uni|GELU|ReLU|SiLU|SELU|CELU|hi|ha|he)"
)


@dataclass(frozen=True, slots=True)
class Phrasings:
    texts: tuple[str, ...]
    from_grammar: bool
    """False if the only text is the pair's own description."""

    def choose(self, content_hash: str) -> str:
        return self.texts[stable_number(content_hash, "phrasing") % len(self.texts)]


@dataclass(frozen=True, slots=True)
class Call:
    """The call that the task asks for."""

    name: str
    parameters: tuple[str, ...]

    @property
    def signature(self) -> str:
        return f"`{self.name}({', '.join(self.parameters)})`"

    @property
    def inputs(self) -> str:
        return enumerated([f"`{name.lstrip('*')}`" for name in self.parameters])

    @property
    def inputs_sentence(self) -> str:
        if len(self.parameters) == 1:
            return f"The input is {self.inputs}."
        return f"The inputs are {self.inputs}." if self.parameters else "It has no inputs."


def phrase(*, description: str, python_code: str, entry_point: str, content_hash: str) -> Phrasings:
    """Return three phrasings, or the description alone if the grammar has no three for it."""
    own = Phrasings((description,), False)
    task = read_task(_without_place(description))
    parameters = parameters_of(python_code, entry_point)
    if task is None or parameters is None:
        return own
    call = Call(entry_point, parameters)
    mentions = required_mentions(python_code, entry_point)
    added = [mention.noun for mention in missing_mentions(mentions, description)]
    if UNNAMED.match(description):
        # A function by its name alone: with sums and products only, no reader could tell it.
        if not mentions and not TELLING.search(description):
            return own
        added = operation_nouns(python_code, entry_point)
    task = replace(name_inputs(task, parameters, python_code), remark=_remark(added))
    texts = []
    for family, frames in enumerate(FAMILIES):
        number = stable_number(content_hash, f"frame {family}")
        # A frame that does not suit is followed by the next one.
        for shift in range(len(frames)):
            frame = frames[(number + shift) % len(frames)]
            text = filled(frame, _worded(task, family), call)
            if not flaws(text, call, mentions):
                texts.append(text)
                break
    if len(texts) < len(FAMILIES):
        return own
    return Phrasings(tuple(texts), True)


def flaws(text: str, call: Call, mentions: Sequence[Mention]) -> list[str]:
    """Return the rules that a phrasing breaks."""
    broken = []
    if len(text.split()) > MOST_WORDS:
        broken.append(f"It has more than {MOST_WORDS} words.")
    missing = missing_mentions(mentions, text)
    broken += [f"It does not mention {mention.noun}." for mention in missing]
    broken += [f"It does not name the input {name}." for name in call.parameters
               if not re.search(rf"\b{re.escape(name.lstrip('*'))}\b", text)]  # fmt: skip
    # The name that the task asks for may look like that of a kernel.
    if INTERNALS.search(text.replace(call.name, "")):
        broken.append("It names an internal of Triton.")
    plain = re.sub(r"`[^`]*`", "", text)
    if WRONG_ARTICLE.search(plain) or re.search(r"\b(\w+) \1\b", plain):
        broken.append("It has a wrong article or a doubled word.")
    number = len(call.parameters)
    if ("input is" in text and number != 1) or ("inputs are" in text and number < 2):
        broken.append("It has a wrong number of inputs.")
    return broken


def _without_place(description: str) -> str:
    """Drop the source and the options of real code: ", as its test in OWNER/NAME compares it"."""
    text = re.sub(r", (?:as its test in \S+ compares it|from \S+/\S+)\.?$", ".", description)
    # The reference may lack an option of the launcher. Operations that it has are added again.
    text = re.sub(r", optionally [^,.]*(?=[,.]|$)", "", text)
    match = re.fullmatch(r"Compute (`\w+`) \(([\w-]+)\)\.", text)
    if match is None:
        return text
    kind = {"gather-scatter": "indexing", "matmul": "matrix"}.get(match[2], match[2])
    return f"Compute the {kind} function {match[1]}."


def _remark(nouns: Sequence[str]) -> str:
    """Return a sentence about the operations that the description lacks."""
    return f" It involves {enumerated(list(dict.fromkeys(nouns)))}." if nouns else ""


# --- Words -----------------------------------------------------------------------------------
FUNCTION = (
    r"(?:the (?:hard |log-)?(?:sigmoid|tanh|swish)|the quick GELU|the error function"
    r"|the snake activation|(?:leaky |squared )?ReLU6?|GELU|SiLU|Mish|[CS]?ELU|soft(?:plus|sign)"
    r"|tanhshrink|tanh|log-softmax|softmax)"
)


def _worded(task: Task, family: int) -> Task:
    """Return the task with other words for common steps in the second and third family."""
    clauses = [*task.clauses]
    last = len(clauses) - 1
    for number, clause in enumerate(clauses):
        if family == 1:
            subject = "the result" if number else "the input"
            clauses[number] = re.sub(
                rf"^apply ({FUNCTION})$", rf"pass {subject} through \1", clause
            )
        elif family == 2 and number == last:
            clauses[number] = re.sub(r"^take the (?!\S+ function)", "return the ", clause)
    return replace(task, clauses=tuple(clauses))


# --- Frames ----------------------------------------------------------------------------------
# Each has the steps of the task in one form, with the end of their sentence, and the call.
FAMILIES: tuple[tuple[str, ...], ...] = (
    (
        "Write a Triton kernel {name} that{third_person} {inputs_sentence}",
        "Implement {signature} as a Triton kernel. {imperative}",
        "{imperative} Write a Triton kernel for this, called as {signature}.",
        "Please write a Triton kernel and its launcher {signature}. {imperative}",
        "Create a Triton kernel that{third_person} Call it as {signature}.",
    ),
    (
        "I need a fast GPU version of {signature}. {should}",
        "Can you write {signature} for the GPU? {should}",
        "My code calls {signature}. {should} Please make it one GPU function.",
        "How would you write {signature} to run on a GPU? {should}",
        "We want to replace {signature} with our own GPU code. {should}",
    ),
    (
        "Given {inputs}, the function {name}{third_person} Provide a GPU implementation.",
        "I am looking for a GPU function {name} that{third_person} {inputs_sentence}",
        "A GPU function {name} takes {inputs}. {it} Write its code.",
        "Implement {name} for the GPU. {it} {inputs_sentence}",
        "Our model needs one GPU function for {gerunds} It is called as {signature}.",
    ),
)


def filled(frame: str, task: Task, call: Call) -> str:
    """Return a frame with the steps and the call in it."""
    end = f".{task.remark}"
    steps, third = listed(task.clauses), listed([third_person(c) for c in task.clauses])
    should = listed(task.clauses, "and finally" if len(task.clauses) > 2 else "then")
    gerunds = listed([gerund(clause) for clause in task.clauses])
    scope = f"{task.scope}, " if task.scope else ""
    return frame.format(
        name=f"`{call.name}`",
        signature=call.signature,
        inputs=call.inputs,
        inputs_sentence=call.inputs_sentence,
        imperative=_capitalized(f"{scope}{steps}{end}"),
        # After "that", or after the name of the function.
        third_person=f"{',' if scope else ''} {scope}{third}{end}",
        it=_capitalized(f"{scope}it {third}{end}"),
        should=_capitalized(f"{scope}it should {should}{end}"),
        gerunds=f"{gerunds}{', ' if scope else ''}{task.scope}{end}",
    )


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def stable_number(content_hash: str, purpose: str) -> int:
    """Return a number for a content, for each purpose another one. Each export chooses alike."""
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
    """Return the instruction of a pair: always the same one, or one by its content."""
    if not varied:
        return INSTRUCTION
    return VARIED[stable_number(content_hash, "instruction") % len(VARIED)]
