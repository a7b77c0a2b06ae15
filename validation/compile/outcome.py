"""What is asked of the compiler about a kernel, and what came of it, in words that hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


@dataclass(frozen=True, slots=True)
class Unit:
    """A standalone unit, and which of its functions is the kernel. `key` is the asker's own."""

    key: int
    source: str
    name: str


class Answer(StrEnum):
    COMPILES = "compiles"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


class Reason(StrEnum):
    """Why there is no definite answer."""

    INFERENCE = "inference"
    TIMEOUT = "timeout"
    EXTRACTION = "extraction"
    CRASH = "crash"


EXPLANATIONS = {
    Reason.INFERENCE: "no signature was found that compiles",
    Reason.TIMEOUT: "compiling took too long",
    Reason.EXTRACTION: "the unit can't be executed by itself",
    Reason.CRASH: "the compiler's process died",
}


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the answers hold: another Triton or another target may answer otherwise."""

    triton: str
    target: str
    sandbox: str
    python: str = ""
    torch: str = ""

    @property
    def architecture(self) -> str:
        backend, _, arch = self.target.partition(":")
        return f"sm_{arch}" if backend == "cuda" else arch


@dataclass(frozen=True, slots=True)
class Outcome:
    """`compiles` means: at least this one instantiation did. Not that it was run, nor is right."""

    answer: Answer
    reason: Reason | None = None
    message: str = ""
    signature: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 0
    # How many corrections of the first guess it took: each makes it likelier to be nonsense.
    flips: int = 0
    stages: tuple[str, ...] = ()
    # Of a processor.
    seconds: float = 0.0
    # Whether the unit can be executed by itself; None: nobody got that far.
    imports: bool | None = None

    @property
    def definite(self) -> bool:
        return self.answer is not Answer.UNDECIDED

    def sentence(self, environment: Environment) -> str:
        where = f"triton {environment.triton}, {environment.architecture}"
        if self.answer is Answer.COMPILES:
            signature = ", ".join(f"{k}: {v}" for k, v in self.signature.items())
            constants = ", ".join(f"{k} = {v}" for k, v in self.constants.items())
            return (
                f"compiles ({where}, signature {signature or 'empty'}, "
                f"constexprs {constants or 'none'})"
            )
        if self.answer is Answer.REJECTED:
            return f"rejected by triton {environment.triton}: {self.message}"
        assert self.reason is not None  # noqa: S101 - every undecided one has a reason
        about = f" ({self.message})" if self.message else ""
        return f"undecided: {self.reason}, {EXPLANATIONS[self.reason]}{about}"


def outcome(said: Mapping[str, Any], seconds: float) -> Outcome:
    """What a worker said. It ran scraped code: nothing of it is more than text and numbers."""
    try:
        return Outcome(
            answer=Answer(said["answer"]),
            reason=Reason(said["reason"]) if said.get("reason") else None,
            message=str(said.get("message", ""))[:2000],
            signature=_texts(said.get("signature", {})),
            constants=_texts(said.get("constants", {})),
            attempts=int(said.get("attempts", 0)),
            flips=int(said.get("flips", 0)),
            stages=tuple(str(stage)[:20] for stage in said.get("stages", ()))[:10],
            seconds=seconds,
            imports=said["imports"] if isinstance(said.get("imports"), bool) else None,
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        return crashed(f"its answer made no sense: {error}", seconds)


@dataclass(frozen=True, slots=True)
class Launch:
    """`launched`: one block ran to its end with arguments that were guessed. Where it did not,
    that proves nothing: the guess may be to blame."""

    launched: bool
    message: str = ""

    @property
    def sentence(self) -> str:
        if self.launched:
            return "one block ran to its end in the interpreter, with arguments that were guessed"
        return f"unknown: with arguments that were guessed, {self.message}"


def launch(said: Mapping[str, Any]) -> Launch:
    return Launch(said.get("launched") is True, str(said.get("message", ""))[:2000])


def crashed(message: str, seconds: float) -> Outcome:
    return Outcome(Answer.UNDECIDED, Reason.CRASH, message, seconds=seconds)


def timed_out(seconds: float) -> Outcome:
    return Outcome(Answer.UNDECIDED, Reason.TIMEOUT, seconds=seconds)


def _texts(said: Mapping[str, Any]) -> dict[str, str]:
    return {str(name)[:200]: str(value)[:200] for name, value in list(said.items())[:500]}
