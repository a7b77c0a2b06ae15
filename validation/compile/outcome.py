"""Request to the compiler about a kernel, and its outcome as sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from validation.harness.sandbox.hostile_json import readable

MESSAGE_MOST = 2000
COUNT_MOST = 1_000_000
# Compiler outputs to keep, and the maximum number of characters of each.
TEXTS = ("ttgir", "ptx")
TEXT_MOST = 100_000
RESOURCES = ("registers", "local_bytes", "shared_bytes", "warps")


@dataclass(frozen=True, slots=True)
class Unit:
    """A kernel's standalone source and its name. `key` identifies the unit for the caller."""

    key: int
    source: str
    name: str


class CompileAnswer(StrEnum):
    COMPILES = "compiles"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


class Reason(StrEnum):
    """Reason for the lack of a definite answer."""

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
    """Environment of the answers. Another Triton version or target may give other answers."""

    triton: str
    target: str
    sandbox: str
    python: str = ""
    torch: str = ""
    memory: str = ""
    """Description of the memory limit of the answering processes."""

    @property
    def architecture(self) -> str:
        backend, _, arch = self.target.partition(":")
        return f"sm_{arch}" if backend == "cuda" else arch


@dataclass(frozen=True, slots=True)
class Compiled:
    """Outcome of a compile. `compiles` holds only for this signature and these constants. The
    kernel was not run."""

    answer: CompileAnswer
    reason: Reason | None = None
    message: str = ""
    signature: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 0
    # Number of corrections to the first guess. With each one, the signature may make less sense.
    flips: int = 0
    stages: tuple[str, ...] = ()
    # CPU seconds.
    seconds: float = 0.0
    # True if the unit can be executed by itself, None if that was not tried.
    imports: bool | None = None
    # Registers, local and shared bytes, and warps that the binary uses.
    resources: Mapping[str, int] = field(default_factory=dict)
    # Beginnings of the compiler's outputs, with the names in TEXTS.
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def definite(self) -> bool:
        return self.answer is not CompileAnswer.UNDECIDED

    def sentence(self, environment: Environment) -> str:
        environment_text = f"triton {environment.triton}, {environment.architecture}"
        if self.answer is CompileAnswer.COMPILES:
            signature = ", ".join(f"{k}: {v}" for k, v in self.signature.items())
            constants = ", ".join(f"{k} = {v}" for k, v in self.constants.items())
            return (
                f"compiles ({environment_text}, signature {signature or 'empty'}, "
                f"constexprs {constants or 'none'})"
            )
        if self.answer is CompileAnswer.REJECTED:
            return f"rejected by triton {environment.triton}: {self.message}"
        reason = self.reason or Reason.CRASH
        about = f" ({self.message})" if self.message else ""
        return f"undecided: {reason}, {EXPLANATIONS[reason]}{about}"


def outcome(record: Mapping[str, Any], seconds: float) -> Compiled:
    """Parse the outcome in a worker's answer.

    The worker ran scraped code, so only text and numbers are read.
    """
    try:
        answer = CompileAnswer(str(record.get("answer")))
        return Compiled(
            answer=answer,
            # Raises an error for an undecided answer without a reason.
            reason=Reason(str(record.get("reason"))) if answer is CompileAnswer.UNDECIDED else None,
            message=readable(str(record.get("message", "")), MESSAGE_MOST),
            signature=_texts(record.get("signature", {})),
            constants=_texts(record.get("constants", {})),
            attempts=_count(record.get("attempts", 0)),
            flips=_count(record.get("flips", 0)),
            stages=tuple(readable(str(stage), 20) for stage in record.get("stages", ())[:10]),
            seconds=seconds,
            imports=record["imports"] if isinstance(record.get("imports"), bool) else None,
            resources=_resources(record.get("resources", {})),
            texts={
                name: readable(str(record["texts"][name]), TEXT_MOST)
                for name in TEXTS
                if name in record.get("texts", {})
            },
        )
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        return crashed(readable(f"its answer made no sense: {error}", MESSAGE_MOST), seconds)


@dataclass(frozen=True, slots=True)
class LaunchOutcome:
    """Result of a launch. `launched`: one block ran to its end with guessed arguments.

    A failed launch does not prove a fault of the kernel.
    """

    launched: bool
    message: str = ""

    @property
    def sentence(self) -> str:
        if self.launched:
            return "one block ran to its end in the interpreter, with arguments that were guessed"
        return f"unknown: with arguments that were guessed, {self.message}"


def launch(said: Mapping[str, Any]) -> LaunchOutcome:
    message = readable(str(said.get("message", "")), MESSAGE_MOST)
    return LaunchOutcome(said.get("launched") is True, message)


def crashed(message: str, seconds: float) -> Compiled:
    return Compiled(CompileAnswer.UNDECIDED, Reason.CRASH, message, seconds=seconds)


def timed_out(seconds: float) -> Compiled:
    return Compiled(CompileAnswer.UNDECIDED, Reason.TIMEOUT, seconds=seconds)


def _texts(said: Mapping[str, Any]) -> dict[str, str]:
    some = list(said.items())[:500]
    return {readable(str(name), 200): readable(str(value), 200) for name, value in some}


def _resources(answer: Mapping[str, Any]) -> dict[str, int]:
    """Return the resources of a binary, or {} if a part is missing or there is no warp."""
    if not answer:
        return {}
    numbers = {name: _count(answer[name]) for name in RESOURCES}
    return numbers if numbers["warps"] > 0 else {}


def _count(said: Any) -> int:
    if type(said) is not int or not 0 <= said <= COUNT_MOST:
        raise ValueError(f"{said!r} counts nothing")
    return said
