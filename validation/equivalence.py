"""Equivalence check of pairs by the harness. Its reports are returned as findings."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from typing import Any

from curation.errors import CurationError
from curation.jobs.workers import retire
from curation.models import Device, Outcome, Pair, TriedCase, Verdict
from validation.findings import Beat, Begin, FindingCheck, ItemFinding, judged
from validation.harness import report as harness_report
from validation.harness import schedule
from validation.harness.entry import Entry
from validation.harness.options import Options, Unsuited
from validation.harness.pool.fork_server import ForkServerFailed
from validation.harness.pool.worker_pool import GpuSick, WorkerPool
from validation.harness.sandbox import SandboxUnavailable
from validation.harness.single_case import ChosenCase, try_case

# Harness options that a run may set.
OPTIONS = ("checks", "jobs", "share", "timeout", "seed", "timing", "sanitize")


class HarnessUnavailable(CurationError):
    """This host can't confine the code, or can't honor the options.

    A retry gives the same result.
    """


class HarnessAway(CurationError):
    """The harness's processes did not start, or its GPU is sick. Another worker may succeed."""

    retry = True


def open_harness(device: Device, options: Mapping[str, Any]) -> AbstractContextManager["Harness"]:
    told = {name: options[name] for name in OPTIONS if name in options}
    return _opened(Options(device=device.value, **told))


@contextmanager
def _opened(options: Options) -> Iterator["Harness"]:
    try:
        with schedule.open_pool(options) as pool:
            yield Harness(pool)
    except (SandboxUnavailable, Unsuited) as error:
        raise HarnessUnavailable(str(error)) from None
    except GpuSick as error:
        ended = " This worker ends." if retire() else ""
        raise HarnessAway(f"{error}{ended}") from None
    except ForkServerFailed as error:
        raise HarnessAway(str(error)) from None


class Harness:
    def __init__(self, pool: WorkerPool) -> None:
        self.pool = pool

    @property
    def environment(self) -> Mapping[str, Any]:
        return {**self.pool.environment(), "seed": self.pool.options.seed}

    def try_case(self, run: TriedCase) -> dict[str, Any]:
        chosen = ChosenCase(run.place, run.instead, run.change, run.program)
        return try_case(entry(run.pair), chosen, self.pool)

    def check(
        self, items: Iterable[Pair], beat: Beat, begin: Begin
    ) -> Iterator[tuple[Pair, ItemFinding]]:
        pairs = {str(pair.pk): pair for pair in items}
        entries = map(entry, pairs.values())
        findings = self.check_entries(entries, beat, lambda entry: begin(pairs[entry.id]))
        with closing(findings):
            for name, result in findings:
                yield pairs[name], result

    def check_entries(
        self,
        entries: Iterable[Entry],
        beat: Beat = lambda: None,
        begin: Callable[[Entry], None] = lambda _: None,
    ) -> Generator[tuple[str, ItemFinding], None, None]:
        """Yield each entry's id with its finding."""
        with closing(schedule.reports(entries, self.pool, beat, begin)) as reports:
            for report in reports:
                yield report.id, judged(partial(finding, report))


def entry(pair: Pair) -> Entry:
    return Entry(
        id=str(pair.pk),
        python_code=pair.python_code,
        triton_code=pair.triton_code,
        test_code=pair.test_code,
        entry_point=pair.entry_point,
        differentiable=pair.differentiable,
        origin=str(pair.origin),
        min_triton=pair.min_triton,
    )


def finding(report: harness_report.Report) -> ItemFinding:
    return ItemFinding(
        verdict=Verdict(report.verdict),
        message=report.message,
        seconds=report.seconds.get("total"),
        figures={**report.figures, "seconds": report.seconds},
        checks=tuple(
            FindingCheck(check.name, _outcome(check.verdict), check.words, check.numbers)
            for check in report.checks
        ),
    )


def _outcome(verdict: harness_report.Verdict | None) -> Outcome:
    if verdict is None:
        return Outcome.SKIPPED
    return Outcome.PASSED if verdict is harness_report.Verdict.PASSED else Outcome.FAILED
