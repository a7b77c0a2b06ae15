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

    If several attempts fail, the reason from the latest step is reported.
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
        """Return the number of steps that a draft had passed when this reason stopped it."""
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
    """Kernels that an autograd Function or a host function launches together."""

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
    """The draft of an operation. It may be incomplete."""

    rule: Rule
    entry_point: str
    test: DraftPlace
    texts: DraftTexts
    drawn_from: tuple[str, ...] = ()
    differentiable: bool = False
    sentence: str = ""
    """A sentence about the function that both sides compute, or ""."""
    names: tuple[str, ...] = ()
    """Candidate names for that function, the best first."""
    forward: OperationDraft | None = None
    """The draft of the forward pass alone, or None if this draft does not compare gradients."""


@dataclass(frozen=True, slots=True)
class DraftOutcome:
    """An operation with its draft, or with the reason why the draft is incomplete."""

    operation: LaunchedOperation
    draft: OperationDraft | None
    missing: Missing | None = None
    sentence: str = ""


WHOLE = 1000
"""Progress of a draft that is complete. No other test can give a better one."""


@dataclass(frozen=True, slots=True)
class DraftAttempt:
    """One test, used as the source of an operation's draft."""

    operation: Local
    draft: OperationDraft | None
    missing: Missing | None = None
    sentence: str = ""
    weak: bool = False
    """True if all cases have only a few elements, so that another test may check more."""

    @property
    def progress(self) -> int:
        if self.missing is not None:
            return self.missing.progress
        # If its name is not that of a reference, a function is the least certain reference.
        unsure = self.draft is not None and self.draft.rule is Rule.OTHER_FUNCTION
        return WHOLE - 2 * self.weak - unsure
