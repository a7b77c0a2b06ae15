"""The values that drafting hands out, and the words by which its failures are counted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """What stood behind the comparison's other argument."""

    NAMED_FUNCTION = "named-function"
    OTHER_FUNCTION = "other-function"
    TORCH_OPERATION = "torch-operation"
    MODULE = "module"
    EXPRESSION = "expression"


class Missing(StrEnum):
    """Why an operation became no whole draft; the first that applies, in this order, counts last:
    what came furthest is told."""

    NO_LAUNCHER = "no-launcher"
    NO_TEST = "no-test"
    NO_COMPARISON = "no-comparison"
    KERNEL_AGAINST_KERNEL = "kernel-against-kernel"
    GRADIENTS_ONLY = "gradients-only"
    INPUTS = "inputs"
    REFERENCE_NOT_STANDALONE = "reference-not-standalone"
    INPUTS_NOT_STANDALONE = "inputs-not-standalone"
    TRITON_NOT_STANDALONE = "triton-not-standalone"
    COMPUTES_IN_TORCH = "computes-in-torch"
    UNREADABLE = "unreadable"

    @property
    def progress(self) -> int:
        """How far a draft had come when this stopped it."""
        return list(Missing).index(self)


@dataclass(frozen=True, slots=True)
class Place:
    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class KernelPlace:
    path: str
    qualname: str
    start_line: int


@dataclass(frozen=True, slots=True)
class Operation:
    """What is launched together: an autograd Function's kernels, or those of one host function."""

    name: str
    launcher: Place | None
    kernels: tuple[KernelPlace, ...]


@dataclass(frozen=True, slots=True)
class Texts:
    python_code: str = ""
    triton_code: str = ""
    test_code: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What was found for an operation, whole or not."""

    rule: Rule
    entry_point: str
    test: Place
    texts: Texts
    drawn_from: tuple[str, ...] = ()
    differentiable: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """An operation with its draft, or with what is missing and, as far as it came, the draft."""

    operation: Operation
    draft: Draft | None
    missing: Missing | None = None
    sentence: str = ""
