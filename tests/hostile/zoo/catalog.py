"""Catalog of the kinds of faults that the harness must find: one module per kind, with variants.

A module of `kinds/TOPIC` defines KIND. Its docstring is the behavior of the kind, one sentence. A
variant is an honest entry with the smallest change that shows the fault. Longer programs are files
in `kinds/TOPIC/programs`.
"""

import importlib
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

KINDS = Path(__file__).parent / "kinds"


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

    entry_point: str
    arguments: str
    by_torch: str
    by_kernel: str

    def words(self) -> dict[str, str]:
        return {
            "ENTRY_POINT": self.entry_point,
            "ARGUMENTS": self.arguments,
            "BY_TORCH": self.by_torch,
            "BY_KERNEL": self.by_kernel,
        }


OPERATIONS = {
    "vector-add": Operation(
        "vector_add", "x, y", "torch.add(x, y)", "honest(ANSWER, torch.zeros_like(ANSWER))"
    ),
    "row-sum": Operation("row_sum", "x", "x.sum(dim=1)", "honest(ANSWER[:, None])"),
    "softmax": Operation("softmax", "x", "torch.softmax(x, dim=1)", "honest(ANSWER.log())"),
    "matmul": Operation(
        "matmul",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One entry of a kind.

    how: what this variant does, where its name is not enough.
    base: the honest entry that it changes.
    launcher: programs that are appended to triton_code, in this order.
    words: replacements for words in capitals in these programs.
    outcome: its own outcome, where it is not that of its kind.
    needs_because: why the fault shows on this device only.
    origin: of the entry; only real code may have a domain.
    """

    name: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of fault. The first variant represents it.

    harmless_because: why record and replay makes the kind harmless. Such a kind was aimed at a
        watcher in the launcher's process, and keeps few variants.
    name, topic, behavior: of the module that defines it.
    """

    outcome: Outcome
    variants: tuple[Variant, ...]
    harmless_because: str = ""
    name: str = ""
    topic: str = ""
    behavior: str = ""

    def outcome_of(self, variant: Variant) -> Outcome:
        return variant.outcome or self.outcome

    def programs(self, variant: Variant) -> Iterator[str]:
        """Yield the texts that a variant appends to triton_code."""
        words = {**variant.words}
        if variant.base in OPERATIONS:
            words = {**OPERATIONS[variant.base].words(), **words}
        for program in variant.launcher:
            path = KINDS / self.topic / "programs" / f"{program}.py"
            yield _with_words(path.read_text(), words)


def load_kinds() -> tuple[Kind, ...]:
    """Return all kinds, by topic and name."""
    paths = sorted(KINDS.glob("*/*.py"))
    return tuple(_load_kind(path) for path in paths if path.name != "__init__.py")


def _load_kind(path: Path) -> Kind:
    topic, name = path.parent.name, path.stem
    module = importlib.import_module(f"{__package__}.kinds.{topic}.{name}")
    kind: Kind = module.KIND
    behavior = " ".join((module.__doc__ or "").split())
    return replace(kind, name=name.replace("_", "-"), topic=topic, behavior=behavior)


def _with_words(text: str, words: Mapping[str, str]) -> str:
    """Replace whole words of a program, once, so that replacements are not searched again."""
    pattern = "|".join(rf"\b{word}\b" for word in words)
    return re.sub(pattern, lambda match: words[match.group()], text) if words else text
