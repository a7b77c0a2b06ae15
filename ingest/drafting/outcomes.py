"""Values that drafting returns, and the reasons by which its failures are counted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ingest.extract.targets import Local


class Rule(StrEnum):
    """The kind of reference that the test compares with."""

    NAMED_FUNCTION = "named-function"
    OTHER_FUNCTION = "other-function"
    TORCH_OPERATION = "torch-operation"
    MODULE = "module"
    EXPRESSION = "expression"


class Missing(StrEnum):
    """Reasons why an operation has no complete draft, in the order of the drafter's steps.

    If several attempts fail, the reason of the attempt that came furthest is reported.
    """

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
        """Return how far a draft had come when this stopped it."""
        return list(Missing).index(self)


@dataclass(frozen=True, slots=True)
class DraftPlace:
    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class LaunchedKernel:
    path: str
    qualname: str
    start_line: int


@dataclass(frozen=True, slots=True)
class LaunchedOperation:
    """Kernels that are launched together, by an autograd Function or by a host function."""

    name: str
    launcher: DraftPlace | None
    kernels: tuple[LaunchedKernel, ...]


@dataclass(frozen=True, slots=True)
class DraftTexts:
    python_code: str = ""
    triton_code: str = ""
    test_code: str = ""


@dataclass(frozen=True, slots=True)
class OperationDraft:
    """The draft of an operation, whole or not."""

    rule: Rule
    entry_point: str
    test: DraftPlace
    texts: DraftTexts
    drawn_from: tuple[str, ...] = ()
    differentiable: bool = False
    sentence: str = ""
    """A sentence on the function that both sides compute, or ""."""
    names: tuple[str, ...] = ()
    """Names for that function, the best first."""
    forward: OperationDraft | None = None
    """The draft of the forward pass alone, or None if this draft compares no gradients."""


@dataclass(frozen=True, slots=True)
class DraftOutcome:
    """An operation with its draft, or with what is missing and the draft as far as it came."""

    operation: LaunchedOperation
    draft: OperationDraft | None
    missing: Missing | None = None
    sentence: str = ""


WHOLE = 1000
"""Progress of an attempt with a draft that no other test can better."""


@dataclass(frozen=True, slots=True)
class DraftAttempt:
    """One test as the source of a draft of an operation."""

    operation: Local
    draft: OperationDraft | None
    missing: Missing | None = None
    sentence: str = ""
    weak: bool = False
    """True if no case has more than a few elements, so that another test may show more."""

    @property
    def progress(self) -> int:
        if self.missing is not None:
            return self.missing.progress
        # A function without a reference's name is the least certain to be one.
        unsure = self.draft is not None and self.draft.rule is Rule.OTHER_FUNCTION
        return WHOLE - 2 * self.weak - unsure
