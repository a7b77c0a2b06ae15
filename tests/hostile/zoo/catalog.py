"""Catalog of the kinds of faults that the harness must find: one module per topic.

A constant of `kinds/TOPIC.py` is a kind of its name. A variant is an honest entry with the smallest
change that shows the fault. Longer programs are files in `programs/TOPIC`.
"""

import importlib
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

KINDS = Path(__file__).parent / "kinds"
PROGRAMS = Path(__file__).parent / "programs"


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    NOT_TRITON = "not_triton"
    VACUOUS = "vacuous"
    UNSUPPORTED = "unsupported"
    # A pass with a grade that names the fault: computed_by, special_values, test_strength, sizes
    # that are not "any", or unvaried arguments.
    MIXED = "mixed"
    DIFFERS = "differs"
    WEAK = "weak"
    NARROW = "narrow"
    UNVARIED = "unvaried"


class Check(StrEnum):
    """Families of checks, any of which may find a fault."""

    CONTRACT = "contract"
    OWN_TEST = "own-test"
    VALUES = "values"
    VARIATIONS = "variations"
    MEMORY = "memory"
    REPEATABILITY = "repeatability"
    KERNEL_MATTERS = "kernel-matters"
    TEST_CAN_FAIL = "test-can-fail"
    BOUNDS = "bounds"
    GRADIENTS = "gradients"
    CONTAINMENT = "containment"


class Needs(StrEnum):
    """The device on which a fault shows."""

    NOTHING = "nothing"
    GPU = "gpu"
    # Or compute-sanitizer, on a GPU.
    INTERPRETER = "interpreter"


class Danger(StrEnum):
    """Effects of an entry on a machine that does not confine it."""

    HANGS = "hangs"
    FORKS = "forks"
    MEMORY = "memory"
    DISK = "disk"
    KILLS = "kills"


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old`, which occurs exactly once in `file`, by `new`."""

    file: str
    old: str
    new: str


in_kernel = partial(Edit, "triton_code")
in_test = partial(Edit, "test_code")
in_reference = partial(Edit, "python_code")


@dataclass(frozen=True, slots=True)
class Operation:
    """Texts of an honest entry that programs name by a word in capitals.

    by_torch: torch's expression for the answer.
    by_kernel: an expression that passes the variable ANSWER through `honest`, the honest launcher.
    """

    arguments: str
    by_torch: str
    by_kernel: str

    def words(self) -> dict[str, str]:
        return {
            "ARGUMENTS": self.arguments,
            "BY_TORCH": self.by_torch,
            "BY_KERNEL": self.by_kernel,
        }


OPERATIONS = {
    "vector-add": Operation("x, y", "torch.add(x, y)", "honest(ANSWER, torch.zeros_like(ANSWER))"),
    "row-sum": Operation("x", "x.sum(dim=1)", "honest(ANSWER[:, None])"),
    "library.fused-softmax": Operation("x", "torch.softmax(x, dim=1)", "honest(ANSWER.log())"),
    "library.matmul": Operation(
        "a, b",
        "torch.matmul(a, b)",
        "honest(ANSWER, torch.eye(b.shape[1], dtype=b.dtype, device=b.device))",
    ),
}


class Outcome:
    """What the harness may make of an entry.

    expected: outcomes that are right, as words of `Verdict`.
    caught_by: families of checks, one of which must find the fault, as words of `Check`.
    passes_because: why `passed` is right too. The answers are right, and the rest has no effect.
    """

    def __init__(self, expected: str, caught_by: str, passes_because: str = "") -> None:
        self.expected = frozenset(map(Verdict, expected.split()))
        self.caught_by = frozenset(map(Check, caught_by.split()))
        self.passes_because = passes_because


@dataclass(frozen=True, slots=True)
class Variant:
    """One entry of a kind.

    how: what this variant does, where its name is not enough.
    base: the honest entry that it changes.
    launcher: programs that are appended to triton_code, in this order. Without any, the program
        that is named like the variant or its kind, if there is one.
    words: replacements for words in capitals in these programs.
    outcome: its own outcome, where it is not that of its kind.
    needs_because: why the fault shows on this device only.
    origin: of the entry; only real code may have a domain.
    """

    name: str
    _: KW_ONLY
    how: str = ""
    base: str = "vector-add"
    edits: tuple[Edit, ...] = ()
    launcher: tuple[str, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    outcome: Outcome | None = None
    needs: Needs = Needs.NOTHING
    needs_because: str = ""
    dangers: Set[Danger] = frozenset()
    origin: str = "manual"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault. The first variant represents it.

    behavior: what its entries do, one sentence.
    harmless_because: why record and replay makes the kind harmless. Such a kind was aimed at a
        watcher in the launcher's process, and keeps few variants.
    name, topic: of the constant and of the module that define it.
    """

    behavior: str
    _: KW_ONLY
    outcome: Outcome
    variants: tuple[Variant, ...]
    harmless_because: str = ""
    name: str = ""
    topic: str = ""

    def outcome_of(self, variant: Variant) -> Outcome:
        return variant.outcome or self.outcome

    def programs(self, variant: Variant, entry_point: str) -> Iterator[str]:
        """Yield the texts that a variant appends to triton_code.

        `honest` is the launcher that stands there, for programs that use it.
        """
        words = {"ENTRY_POINT": entry_point, **variant.words}
        if variant.base in OPERATIONS:
            words = {**OPERATIONS[variant.base].words(), **words}
        texts = [_with_words(path.read_text(), words) for path in self._paths(variant)]
        if any(re.search(r"\bhonest\b", text) for text in texts):
            yield f"honest = {entry_point}\n"
        yield from texts

    def _paths(self, variant: Variant) -> list[Path]:
        folder = PROGRAMS / self.topic
        if variant.launcher:
            return [folder / f"{program}.py" for program in variant.launcher]
        names = f"{self.name}-{variant.name}", self.name
        own = (folder / f"{name.replace('-', '_')}.py" for name in names)
        return [path for path in own if path.exists()][:1]


def load_kinds() -> tuple[Kind, ...]:
    """Return all kinds, by topic and name."""
    topics = sorted(path.stem for path in KINDS.glob("[!_]*.py"))
    return tuple(kind for topic in topics for kind in _kinds_of(topic))


def _kinds_of(topic: str) -> Iterator[Kind]:
    module = importlib.import_module(f"{__package__}.kinds.{topic}")
    for name, value in vars(module).items():
        if isinstance(value, Kind):
            yield replace(value, name=name.lower().replace("_", "-"), topic=topic)


def _with_words(text: str, words: Mapping[str, str]) -> str:
    """Replace whole words of a program, once, so that replacements are not searched again."""
    pattern = "|".join(rf"\b{word}\b" for word in words)
    return re.sub(pattern, lambda match: words[match.group()], text)
