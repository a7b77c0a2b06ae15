"""Three phrasings of a pair's task, each by a sentence frame around the description's clauses.

The content hash chooses the frames, so the same pair is always phrased alike. A phrasing is kept
if it passes the rules of `flaws`; a pair without three such phrasings keeps its own description.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from curation.export.prompts.cases import parameters_of
from curation.export.prompts.clauses import (
    Task,
    enumerated,
    gerund,
    listed,
    read_task,
    third_person,
)
from curation.export.prompts.mentions import (
    Mention,
    missing_mentions,
    operation_nouns,
    required_mentions,
)
from curation.export.prompts.stable import stable_number

MOST_WORDS = 60
KERNEL = "a Triton kernel"
# Descriptions of real code without a docstring name the function only.
UNNAMED = re.compile(r"Compute `\w+`(?: \([\w-]+\))?(?:, (?:as its test|from) |\.$)")
INTERNALS = re.compile(
    r"\btl\.|@triton|\btriton\.|constexpr|program_id|num_warps|num_stages|BLOCK|block size"
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
        added = operation_nouns(python_code, entry_point)
    texts = []
    for family, frames in enumerate(FAMILIES):
        number = stable_number(content_hash, f"frame {family}")
        # A frame that does not suit is followed by the next one.
        for shift in range(len(frames)):
            frame = frames[(number + shift) % len(frames)]
            text = _finished(frame(_worded(task, family), call), added)
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
    if INTERNALS.search(text):
        broken.append("It names an internal of Triton.")
    plain = re.sub(r"`[^`]*`", "", text)
    if WRONG_ARTICLE.search(plain) or re.search(r"\b(\w+) \1\b", plain):
        broken.append("It has a wrong article or a doubled word.")
    number = len(call.parameters)
    if ("input is" in text and number != 1) or ("inputs are" in text and number < 2):
        broken.append("It has a wrong number of inputs.")
    return broken


def _without_place(description: str) -> str:
    """Drop the source of real code: ", as its test in OWNER/NAME compares it"."""
    text = re.sub(r", (?:as its test in \S+ compares it|from \S+/\S+)\.?$", ".", description)
    match = re.fullmatch(r"Compute (`\w+`) \(([\w-]+)\)\.", text)
    if match is None:
        return text
    kind = {"gather-scatter": "indexing", "matmul": "matrix"}.get(match[2], match[2])
    return f"Compute the {kind} function {match[1]}."


def _finished(text: str, nouns: Sequence[str]) -> str:
    """Add the operations that the description lacks."""
    return f"{text} It involves {enumerated(list(dict.fromkeys(nouns)))}." if nouns else text


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
            clauses[number] = re.sub(
                r"^(?:take|compute) the (?!\S+ function)", "return the ", clause
            )
    return Task(task.scope, tuple(clauses))


# --- Frames ----------------------------------------------------------------------------------
Frame = Callable[[Task, Call], str]


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _imperative(task: Task, last: str = "then") -> str:
    steps = listed(task.clauses, last)
    return _capitalized(f"{task.scope}, {steps}" if task.scope else steps)


def _third(task: Task, last: str = "then") -> str:
    """Return "for each row, adds …": to follow "that" or "it"."""
    steps = listed([third_person(clause) for clause in task.clauses], last)
    return f", {task.scope}, {steps}" if task.scope else f" {steps}"


def _should(task: Task) -> str:
    steps = listed(task.clauses, "and finally" if len(task.clauses) > 2 else "then")
    return f"{_capitalized(task.scope)}, it should {steps}" if task.scope else f"It should {steps}"


FAMILIES: tuple[tuple[Frame, ...], ...] = (
    (
        lambda task, call: f"Write {KERNEL} that{_third(task)}. {call.inputs_sentence}",
        lambda task, call: f"Implement {call.signature} as {KERNEL}. {_imperative(task)}.",
        lambda task, call: (
            f"{_imperative(task)}. Write {KERNEL} for this, called as {call.signature}."
        ),
        lambda task, call: (
            f"Please write {KERNEL} with the launcher {call.signature}. {_imperative(task)}."
        ),
        lambda task, call: f"Create {KERNEL} that{_third(task)}. Call it as {call.signature}.",
    ),
    (
        lambda task, call: f"I need a fast GPU version of {call.signature}. {_should(task)}.",
        lambda task, call: f"Can you write {call.signature} for the GPU? {_should(task)}.",
        lambda task, call: (
            f"My code calls {call.signature}. {_should(task)}. Please make it one GPU function."
        ),
        lambda task, call: (
            f"How would you write {call.signature} to run on a GPU? {_should(task)}."
        ),
        lambda task, call: (
            f"We want to replace {call.signature} with our own GPU code. {_should(task)}."
        ),
    ),
    (
        lambda task, call: (
            f"Given {call.inputs}, the function `{call.name}`{_third(task)}. "
            "Provide a GPU implementation."
        ),
        lambda task, call: (
            f"Task: {_gerunds(task)}. {call.inputs_sentence} Name the GPU function `{call.name}`."
        ),
        lambda task, call: (
            f"A GPU function `{call.name}` takes {call.inputs}. "
            f"{_capitalized(_it(task))}. Write its code."
        ),
        lambda task, call: (
            f"`{call.name}` gets {call.inputs} on the GPU. {_capitalized(_it(task))}. Implement it."
        ),
        lambda task, call: (
            f"Wanted: one GPU function for {_gerunds(task)}. It is called as {call.signature}."
        ),
    ),
)


def _gerunds(task: Task) -> str:
    steps = listed([gerund(clause) for clause in task.clauses])
    return f"{steps}, {task.scope}" if task.scope else steps


def _it(task: Task) -> str:
    steps = listed([third_person(clause) for clause in task.clauses])
    return f"{task.scope}, it {steps}" if task.scope else f"it {steps}"
