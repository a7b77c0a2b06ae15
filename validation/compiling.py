"""Compile check of kernels. Its answers are returned as findings."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any

from curation.errors import CurationError
from curation.models import Kernel, Kind, Language, Outcome, Verdict
from validation import compile as compiling
from validation.compile import (
    CompileAnswer,
    Environment,
    ForkServerFailed,
    Judge,
    LaunchOutcome,
    Reason,
    Resources,
    TrialLauncher,
    Unit,
)
from validation.findings import Beat, Begin, FindingCheck, ItemFinding, judged
from validation.harness.sandbox import SandboxUnavailable

STAGES = ("ttir", "ptx", "cubin")


class CompilerUnavailable(CurationError):
    """This host can't confine the compiler. A retry gives the same result."""


class CompilerAway(CurationError):
    """The compiler did not start, or no longer answers."""

    retry = True


@contextmanager
def open_compiler(options: Mapping[str, Any]) -> Iterator["CompileService"]:
    try:
        target = str(options.get("target", compiling.TARGET))
        with Judge(target=target) as judge, TrialLauncher(target=target) as launcher:
            yield CompileService(judge, launcher)
    except SandboxUnavailable as error:
        raise CompilerUnavailable(str(error)) from None
    except ForkServerFailed as error:
        raise CompilerAway(str(error)) from None


class CompileService:
    def __init__(self, judge: Judge, launcher: TrialLauncher) -> None:
        self._judge, self._launcher = judge, launcher
        self._environment = judge.environment

    @property
    def environment(self) -> Mapping[str, Any]:
        return asdict(self._environment)

    def check(
        self, items: Iterable[Kernel], beat: Beat, begin: Begin
    ) -> Iterator[tuple[Kernel, ItemFinding]]:
        kernels: dict[int, Kernel] = {}
        for kernel in items:
            if reason := _not_asked(kernel):
                yield kernel, ItemFinding(Verdict.UNSUPPORTED, reason)
            else:
                kernels[kernel.pk] = kernel
        units = map(unit, kernels.values())
        for checked_unit, outcome in self._judge.compile(
            units, beat, lambda key: begin(kernels[key])
        ):
            launch = None
            if outcome.answer is CompileAnswer.COMPILES:
                launch = self._launcher.launch(checked_unit, outcome, beat)
            to_finding = partial(finding, outcome, self._environment, launch)
            yield kernels[checked_unit.key], judged(to_finding)


def _not_asked(kernel: Kernel) -> str:
    if kernel.language == Language.PALLAS:
        return "undecided: JAX compiles a Pallas kernel, not Triton"
    if kernel.language == Language.GLUON:
        return "undecided: a Gluon kernel's layouts can't be inferred from its text"
    if kernel.kind == Kind.HELPER:
        return "undecided: a helper has no signature to launch with"
    if not kernel.standalone:
        return "undecided: extraction, the unit does not stand alone"
    return ""


def unit(kernel: Kernel) -> Unit:
    return Unit(kernel.pk, kernel.standalone_source, kernel.name.rpartition(".")[2])


def finding(
    outcome: compiling.Compiled, environment: Environment, launch: LaunchOutcome | None = None
) -> ItemFinding:
    sentence = outcome.sentence(environment)
    return ItemFinding(
        verdict=_verdict(outcome),
        message=sentence,
        seconds=outcome.seconds,
        figures={
            "signature": dict(outcome.signature),
            "constants": dict(outcome.constants),
            "attempts": outcome.attempts,
            "flips": outcome.flips,
            "stages": list(outcome.stages),
            "reason": outcome.reason or "",
            "imports": outcome.imports,
            "launches": launch.sentence if launch else "",
            **_resources(outcome),
        },
        texts=outcome.texts,
        checks=tuple(_checks(outcome, launch)),
    )


def _resources(outcome: compiling.Compiled) -> dict[str, Any]:
    """Return the resources that the binary uses, with its occupancy of a multiprocessor."""
    if not outcome.resources:
        return {}
    return {**outcome.resources, "occupancy": round(Resources(**outcome.resources).occupancy, 3)}


def _verdict(outcome: compiling.Compiled) -> Verdict:
    match outcome.answer, outcome.reason:
        case CompileAnswer.COMPILES, _:
            return Verdict.PASSED
        case CompileAnswer.REJECTED, _:
            return Verdict.FAILED
        case _, Reason.TIMEOUT:
            return Verdict.TIMEOUT
        case _, Reason.CRASH:
            return Verdict.CRASHED
        case _:
            return Verdict.UNSUPPORTED


def _checks(outcome: compiling.Compiled, launch: LaunchOutcome | None) -> Iterator[FindingCheck]:
    if outcome.imports is not None:
        message = "" if outcome.imports else outcome.message
        yield FindingCheck("import", Outcome.PASSED if outcome.imports else Outcome.FAILED, message)
    if outcome.answer is CompileAnswer.COMPILES:
        for stage in STAGES:
            reached = stage in outcome.stages
            yield FindingCheck(
                stage,
                Outcome.PASSED if reached else Outcome.SKIPPED,
                "" if reached else "No tool for this stage is there.",
            )
        if launch is not None:
            # A failed launch with guessed arguments does not prove a fault of the kernel.
            ran = Outcome.PASSED if launch.launched else Outcome.SKIPPED
            yield FindingCheck("launch", ran, launch.sentence)
    else:
        refused = outcome.answer is CompileAnswer.REJECTED
        yield FindingCheck("ttir", Outcome.FAILED if refused else Outcome.SKIPPED, outcome.message)
