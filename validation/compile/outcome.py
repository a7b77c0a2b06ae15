"""What is asked of the compiler about a kernel, and what came of it, in words that hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from validation.sandbox.reading import readable

MESSAGE_MOST = 2000
COUNT_MOST = 1_000_000


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
    memory: str = ""
    """The bound on the memory of the processes that answer, in words."""

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
        reason = self.reason or Reason.CRASH
        about = f" ({self.message})" if self.message else ""
        return f"undecided: {reason}, {EXPLANATIONS[reason]}{about}"


def outcome(said: Mapping[str, Any], seconds: float) -> Outcome:
    """What a worker said. It ran scraped code: nothing of it is more than text and numbers."""
    try:
        answer = Answer(str(said.get("answer")))
        return Outcome(
            answer=answer,
            # An undecided answer without a reason is refused here.
            reason=Reason(str(said.get("reason"))) if answer is Answer.UNDECIDED else None,
            message=readable(str(said.get("message", "")), MESSAGE_MOST),
            signature=_texts(said.get("signature", {})),
            constants=_texts(said.get("constants", {})),
            attempts=_count(said.get("attempts", 0)),
            flips=_count(said.get("flips", 0)),
            stages=tuple(readable(str(stage), 20) for stage in said.get("stages", ())[:10]),
            seconds=seconds,
            imports=said["imports"] if isinstance(said.get("imports"), bool) else None,
        )
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        return crashed(readable(f"its answer made no sense: {error}", MESSAGE_MOST), seconds)


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
    message = readable(str(said.get("message", "")), MESSAGE_MOST)
    return Launch(said.get("launched") is True, message)


def crashed(message: str, seconds: float) -> Outcome:
    return Outcome(Answer.UNDECIDED, Reason.CRASH, message, seconds=seconds)


def timed_out(seconds: float) -> Outcome:
    return Outcome(Answer.UNDECIDED, Reason.TIMEOUT, seconds=seconds)


def _texts(said: Mapping[str, Any]) -> dict[str, str]:
    some = list(said.items())[:500]
    return {readable(str(name), 200): readable(str(value), 200) for name, value in some}


def _count(said: Any) -> int:
    if type(said) is not int or not 0 <= said <= COUNT_MOST:
        raise ValueError(f"{said!r} counts nothing")
    return said
