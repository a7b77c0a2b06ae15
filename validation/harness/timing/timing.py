"""Timing of an entry that passed: its program, its reference, and the compiled reference.

Each is measured in its own process, on values that are new to it. Measurements run one after the
other, while no other process uses the GPU. Other steps may share processes with other entries.
"""

import secrets
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from validation.harness.entry import Entry
from validation.harness.judge import replay_evidence
from validation.harness.judge.numbers import Unreadable, width
from validation.harness.judge.practical import PracticalBound, declared_factor
from validation.harness.judge.roofline import Gpu, Times, Work, judged, times
from validation.harness.plan.arguments import Inputs, mapped, tensors
from validation.harness.plan.trial_plan import Case, Trial
from validation.harness.plan.trials import Constants, fresh_values, load_constants
from validation.harness.pool.children import Child, ChildAnswer, ServerEnded
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Check, Report, Verdict, presentable, with_check
from validation.harness.sandbox.hostile_json import raised
from validation.harness.session.entry_session import Session, Stopped
from validation.harness.session.recordings import Recordings, play_order
from validation.harness.session.references import ask_reference

# Number of timed runs. Each has its own inputs, unless these take more than MOST bytes.
RUNS, MOST = 20, 256 << 20
# Two warm-up inputs: Triton compiles a kernel again if an argument differs from the first run's.
WARMING = 2
# Large case: minimum number of inputs (one to time, the others to warm up), maximum bytes of each.
SETS_LEAST, LARGEST_SET = WARMING + 1, 256 << 20
# Estimate of GPU memory: number of processes of an entry, bytes of a CUDA context in each, and
# copies of the inputs in each (the second for answers).
PROCESSES, CONTEXT, COPIES = 5, 800 << 20, 2
# Number of answers to check: the last, and others chosen at random afterwards. For PERF_CASES only
# two, because each is copied from the GPU. At most ELEMENTS random elements of each are compared:
# NumPy needs 14 s for 64 million.
LOOKED_AT, LOOKED_AT_PERF, ELEMENTS = 4, 2, 1 << 20


def timed(entry: Entry, report: Report, pool: WorkerPool) -> Report:
    """Return the report of an entry that passed, with its times added."""
    # Gradients are not timed.
    session = Session(replace(entry, differentiable=False), pool, alone=False)
    measured: dict[str, Any] = {}
    try:
        with session.reading():
            check = _measure_all(session, measured)
    except Stopped as stopped:
        check = _not_timed(stopped.check)
        if stopped.check.verdict in (Verdict.CRASHED, Verdict.TIMEOUT):
            with pool.lock.held(exclusive=False):
                pool.check_health()
    except ServerEnded:
        check = Check("timing", None, "not timed: the process that starts all others died")
    compiling = session.seconds.pop("compile")
    seconds = {"timing": sum(session.seconds.values()), "timing_compile": compiling}
    return replace(
        with_check(report, check, seconds), figures=presentable({**report.figures, **measured})
    )


def _not_timed(check: Check) -> Check:
    """Return the check to report. Only a wrong answer keeps its verdict. Slowness is no fault."""
    if check.verdict is Verdict.FAILED:
        return replace(check, name="timing")
    return Check("timing", None, f"not timed: {check.words}")


def _unable(words: str) -> Stopped:
    return Stopped(Check("timing", None, words))


def _measure_all(session: Session, figures: dict[str, Any]) -> Check:
    """Measure the entry, and add the numbers to `figures`."""
    children, tuning_cache = ExitStack(), secrets.token_hex(8)
    try:
        return _measure_with(children, tuning_cache, session, figures)
    finally:
        # End processes only while no entry is measured: ending disturbs measurements.
        with session.pool.lock.held(exclusive=False):
            children.close()
        session.pool.forget(tuning_cache)
        session.pool.forget(session.cache)


def _measure_with(
    children: ExitStack, tuning_cache: str, session: Session, figures: dict[str, Any]
) -> Check:
    lock, entry = session.pool.lock, session.entry
    with lock.held(exclusive=False), session.pool.reference() as author:
        constants = load_constants(session, author)
        case, size = _choose_case(session, author, constants)
        inputs = _fresh_inputs(session, author, case, size)
    figures["timed_case"], is_perf_case = case, case in constants.perf_cases
    foreseen = PROCESSES * (CONTEXT + COPIES * sum(map(len, inputs.blobs)))
    # Wait for memory before taking the lock: entries that hold memory wait for the lock.
    children.enter_context(session.pool.gpu_memory.parts_held(foreseen))
    with lock.held(exclusive=False):

        def prepared(side: str, blobs: list[memoryview], **what: Any) -> tuple[Child, int]:
            child = children.enter_context(session.candidate("timing"))
            return child, _prepare(session, child, side, what, blobs)

        launcher = children.enter_context(session.candidate("launcher"))
        programs, blobs = _record(session, launcher, inputs, tuning_cache)
        candidate, _ = prepared("the entry", blobs, **programs)
        runs = [inputs.request(trial) for trial in inputs.trials]
        text: dict[str, Any] = {"python_code": entry.python_code, "runs": runs}
        eager, flops = prepared("the reference", inputs.blobs, **text, compiled=False, count=True)
        compiled = None
        try:
            compiled, _ = prepared(
                "the reference", inputs.blobs, **text, compiled=True, count=False
            )
        except Stopped as stopped:
            figures["not_compiled"] = stopped.check.words
    with lock.held(exclusive=True):
        if "autotune" in entry.triton_code:
            # Other processes disturbed autotuning: repeat it, now that the kernels are compiled.
            chosen, blobs = _record(session, launcher, inputs, tuning_cache)
            if chosen != programs:
                _prepare(session, candidate, "the entry", chosen, blobs)
        of_entry = _measure(session, candidate, keep=True)
        of_eager = _measure(session, eager)
        of_compiled = _measure(session, compiled) if compiled else None
        looked_at = _looked_at(inputs, LOOKED_AT_PERF if is_perf_case else LOOKED_AT)
        numbers = [trial.number for trial in looked_at.trials]
        answer = session.ask(candidate, "timing", "hand_over", {"numbers": numbers})
    bound = PracticalBound(declared_factor(entry.triton_code), constants.tolerance)
    written = _check_answers(session, answer, looked_at, bound, on_gpu=is_perf_case)
    tree = inputs.arguments[inputs.trials[0].number]
    narrowest = min((width(tensor["dtype"]) for tensor in tensors(tree)), default=4)
    work = Work(bytes_read(tree), written, flops, narrowest)
    gpu = Gpu.of(session.pool.environment())
    timing, words = judged(of_entry, of_eager, of_compiled, work, gpu)
    figures["timing"] = timing
    if timing["speedup"] is not None:
        figures["speedup"] = timing["speedup"]
    return Check("timing", None if timing["impossible"] else Verdict.PASSED, words)


def _choose_case(session: Session, author: Child, constants: Constants) -> tuple[Case, int]:
    """Return the largest of PERF_CASES that fits, or else of CASES, and its inputs' bytes."""
    for cases in (constants.perf_cases, constants.cases):
        trials = [Trial(n, f"case {n}", "shown", case) for n, case in enumerate(cases)]
        # Request only the sizes, by allowing 0 bytes of inputs.
        _, made = session.make(author, trials, 0)
        sizes = {n: int(each["bytes"]) for n, each in enumerate(made) if "bytes" in each}
        fitting = [n for n, size in sizes.items() if size <= LARGEST_SET]
        if fitting:
            largest = max(fitting, key=lambda number: sizes[number])
            return cases[largest], sizes[largest]
    raise _unable("its inputs are too large")


def _fresh_inputs(session: Session, author: Child, case: Case, size: int) -> Inputs:
    """Return inputs of the case with unpredictable values, one for each run if memory allows."""
    shown = Trial(0, "timed case", "shown", case)
    count = min(RUNS + WARMING, max(SETS_LEAST, MOST // max(1, size)))
    trials = [fresh_values(shown, number, secrets.randbelow(1 << 31)) for number in range(count)]
    most = max(session.limits.altogether, LARGEST_SET * SETS_LEAST)
    inputs, _ = session.make(author, trials, most, LARGEST_SET)
    forms = {number: form(tree) for number, tree in inputs.arguments.items()}
    # Inputs that make_inputs refused are missing here.
    first = next(iter(forms.values()), None)
    alike = [trial for trial in inputs.trials if forms[trial.number] == first]
    if len(alike) < SETS_LEAST:
        raise _unable(
            "its inputs can't be made with other values, or change their shapes with them"
        )
    return inputs.of_trials(alike)


def _record(
    session: Session, launcher: Child, inputs: Inputs, cache: str
) -> tuple[dict[str, Any], list[memoryview]]:
    """Record the launcher's calls. Return a request to time their programs, and its blobs."""
    # Only in this recording does the autotuner choose a configuration by time.
    order = {**session.order("triton_code"), "tune": True, "own_cache": cache}
    calls = Recordings(session, launcher, inputs, order).first_calls()
    for _, call in calls:
        if call.raised is not None:
            raise _unable(f"the entry: {raised(call.raised)}")
    played, blobs = play_order(calls, inputs)
    return {"triton_code": session.entry.triton_code, **played}, blobs


def _prepare(
    session: Session, child: Child, side: str, what: dict[str, Any], blobs: list[memoryview]
) -> int:
    """Have the child prepare its timed runs. Return the number of floating-point operations."""
    order = {**session.order(), **what, "warming": WARMING}
    # Use a separate cache. An entry could write forged code for the reference into a shared cache.
    del order["cache"]
    try:
        header = session.ask(child, "timing", "prepare", order, blobs).header
    except Stopped as stopped:
        words = f"{side}: {stopped.check.words}"
        raise Stopped(replace(stopped.check, words=words)) from None
    if "error" in header:
        raise _unable(f"{side}: {raised(header['error'])}")
    return max(0, int(header["flops"]))


def _measure(session: Session, child: Child, *, keep: bool = False) -> Times:
    header = session.ask(child, "timing", "measure", {"keep": keep, "runs": RUNS}).header
    if "error" in header:
        raise _unable(raised(header["error"]))
    return times(header["took"], RUNS)


def _looked_at(inputs: Inputs, count: int) -> Inputs:
    """Return the inputs of the last run, and of other runs chosen at random."""
    last, *others = reversed(inputs.trials[WARMING:])
    chosen = secrets.SystemRandom().sample(others, min(len(others), count - 1))
    return inputs.of_trials([last, *chosen])


def _check_answers(
    session: Session,
    answer: ChildAnswer,
    inputs: Inputs,
    bound: PracticalBound,
    *,
    on_gpu: bool,
) -> int:
    """Return the size of an answer in bytes, or raise Stopped if an answer is wrong."""
    numbers = [trial.number for trial in inputs.trials]
    wanted: dict[int, replay_evidence.Wanted] = {}
    with session.pool.lock.held(exclusive=False):
        for trial in inputs.trials:
            # Request one answer at a time, because two may exceed the size limit of a message.
            wanted |= ask_reference(session, inputs.of_trials([trial]), on_gpu=on_gpu)[0]
    if any(expected.written for expected in wanted.values()):
        raise _unable("it writes into its arguments, so each run would have other inputs")
    runs = replay_evidence.outcomes(answer.header, answer.blobs, inputs, wanted, bound, ELEMENTS)
    if {run.trial.number for run in runs} != set(numbers):
        raise Unreadable("other answers than were asked for")
    if wrong := [run for run in runs if not run.right]:
        words = f"wrong while it is timed: {wrong[0].words}"
        raise Stopped(Check("timing", Verdict.FAILED, words))
    answers = [run.value.tensors() for run in runs if run.value]
    return max(sum(len(tensor.raw) for tensor in tensors) for tensors in answers)


def bytes_read(tree: Any) -> int:
    """Return the bytes of the elements that the arguments refer to. Views of one storage are
    counted separately, an expanded dimension only once."""
    total = 0
    for tensor in tensors(tree):
        count = width(tensor["dtype"])
        for length, step in zip(tensor["shape"], tensor["stride"], strict=True):
            count *= length if step else min(length, 1)
        total += count
    return total


def form(tree: Any) -> Any:
    """Return the shapes and types in a tree, without values."""

    def without_content(tensor: dict[str, Any]) -> dict[str, Any]:
        return {key: part for key, part in tensor.items() if key != "storage"}

    return mapped(tree, without_content, lambda value: type(value).__name__)
