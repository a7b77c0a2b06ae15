"""Run one case that a person chose: both answers, their difference, and the time.

This gives no verdict on the entry. A person looks at what the launcher does with these inputs.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from validation.harness.entry import Entry
from validation.harness.judge.picture import pictures
from validation.harness.judge.practical import PracticalBound, declared_factor
from validation.harness.judge.replay_evidence import JudgedReplay, Wanted
from validation.harness.plan.arguments import Inputs, parts
from validation.harness.plan.trial_plan import Trial
from validation.harness.plan.trials import Constants, load_constants
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Check, Verdict, presentable
from validation.harness.sandbox.hostile_json import raised
from validation.harness.session.entry_session import Session, Stopped
from validation.harness.session.recordings import Recordings
from validation.harness.session.references import add_rounding, ask_reference
from validation.harness.session.replays import judged, replay

# Changes of the inputs' values by name. The empty name changes nothing.
CHANGES: Mapping[str, dict[str, Any] | None] = {
    "": None,
    "large": {"kind": "scaled", "by": 30.0},
    "small": {"kind": "scaled", "by": 1e-3},
    "zeros": {"kind": "scaled", "by": 0.0},
    "nan": {"kind": "special", "value": "-nan"},
    "inf": {"kind": "special", "value": "inf"},
}
LINES_MOST = 1000


@dataclass(frozen=True, slots=True)
class ChosenCase:
    """A case of the test by index, with other values for some of its keys.

    program: indices of the program whose values to show, such as `1, 2`. A text without numbers
    selects the first program with a wrong element. With an empty text, no values are shown.
    """

    place: int = 0
    instead: Mapping[str, Any] = field(default_factory=dict)
    change: str = ""
    program: str = ""


def try_case(entry: Entry, chosen: ChosenCase, pool: WorkerPool) -> dict[str, Any]:
    """Return the result as JSON: `right`, `words`, `seconds`, `inputs` and `outputs`.

    `right` is None if the case could not be run, which is no fault of the launcher.
    """
    session = Session(entry, pool, alone=True)
    started = time.monotonic()
    right = None
    try:
        with session.reading():
            if chosen.program:
                report = _line_values(session, chosen)
            else:
                prepared = _prepare(session, chosen)
                right = False
                report = _try(session, *prepared)
    except Stopped as stopped:
        report = {"right": right, "words": stopped.check.words}
    finally:
        pool.forget(session.cache)
    seconds = {"total": time.monotonic() - started, "compile": session.seconds["compile"]}
    report["seconds"] = {name: round(value, 6) for name, value in seconds.items()}
    return dict(presentable(report))


def _prepare(session: Session, chosen: ChosenCase) -> tuple[Constants, Inputs, dict[int, Wanted]]:
    """Return the inputs of the case, and the reference's answers to them."""
    with session.pool.reference() as author:
        constants = load_constants(session, author)
        if not 0 <= chosen.place < len(constants.cases):
            raise _refused(f"the test has {len(constants.cases)} cases, from 0 on")
        case = {**constants.cases[chosen.place], **chosen.instead}
        # Time the second run, because the kernel is compiled by then.
        plain = Trial(0, "this case", "shown", case, modes=("first", "second"))
        trial = replace(plain, number=1, variant=CHANGES[chosen.change])
        trials = [plain, trial] if chosen.change else [plain]
        inputs, made = session.make(author, trials, session.limits.altogether)
    if failed := next((answer for answer in made if "error" in answer), None):
        raise _refused(f"make_inputs: {raised(failed['error'])}")
    if len(inputs.trials) < len(trials):
        size, most = int(made[0]["bytes"]) >> 20, session.limits.one >> 20
        raise _refused(f"too large: {size:,} MiB, the limit is {most:,} MiB")
    if chosen.change and inputs.content(0) == inputs.content(1):
        raise _refused(
            "nothing was changed: this case has no values for it, because whole numbers, masks "
            "and tensors of a single element stay as they are; choose another case"
        )
    inputs = inputs.of_trials(inputs.trials[-1:])
    wanted, device = ask_reference(session, inputs)
    return constants, inputs, add_rounding(session, device, wanted, inputs)


def _try(
    session: Session, constants: Constants, inputs: Inputs, wanted: dict[int, Wanted]
) -> dict[str, Any]:
    order = session.order("triton_code")
    with session.candidate("launcher") as child:
        recordings = Recordings(session, child, inputs, order)
    with session.candidate("replayer") as child:
        answers = replay(session, child, order, recordings, inputs, wanted)
    bound = PracticalBound(declared_factor(session.entry.triton_code), constants.tolerance)
    [trial] = inputs.trials
    report = _report(judged(answers, inputs, wanted, bound), wanted[trial.number])
    report["inputs"] = [
        {"dtype": part["dtype"], "shape": part["shape"]}
        for part in parts(inputs.arguments[trial.number])
        if isinstance(part, dict) and "storage" in part
    ]
    return report


def _report(runs: list[JudgedReplay], wanted: Wanted) -> dict[str, Any]:
    wrong = next((run for run in runs if not run.right), None)
    shown = wrong or runs[0]
    report: dict[str, Any] = {"right": wrong is None, "outputs": []}
    if wrong is not None:
        report["words"] = wrong.words
    else:
        report["words"] = f"at most {shown.worst.share:.0%} of the allowed error"
        report["grade"] = str(shown.worst.grade)
    if shown.value is not None and wanted.native is not None:
        report["outputs"] = pictures(shown.value, wanted.native, wanted.precise)
    return report


def _line_values(session: Session, chosen: ChosenCase) -> dict[str, Any]:
    """Return the values of each kernel line for one program, and the line to look at."""
    places = list(map(int, re.findall(r"\d+", chosen.program)))
    order = {
        **session.order("python_code", "triton_code", "test_code"),
        "place": chosen.place, "instead": dict(chosen.instead),
        "variant": CHANGES[chosen.change], "program": [*places, 0, 0, 0][:3] if places else None,
    }  # fmt: skip
    with session.candidate("launcher") as child:
        answer = session.ask(child, "values", "values", order).header
    if "error" in answer:
        raise _refused(raised(answer["error"]))
    searched, line = "", 0
    if "raised" in answer:
        line = int(answer["raised"]["line"])
        place = f"at line {line}" if answer["kernels"] else "in the launcher"
        words = f"Triton's interpreter stopped {place}: {raised(answer['raised'])}"
    elif wrong := int(answer["wrong"]):
        first = ", ".join(str(int(place)) for place in answer["first"])
        words = f"{wrong:,} wrong elements, the first by program {first}"
    else:
        words = "all elements are within the test's tolerance"
    if search := answer.get("search"):
        tried, most = int(search["tried"]), int(search["of"])
        searched = f"None of {tried:,} small changes, of {most:,}, makes all cases right."
        if change := search.get("found"):
            line = int(change["line"])
            before, after = str(change["before"]), str(change["after"])
            searched = f"All cases are right with {after} instead of {before} in line {line}."
    return {
        "right": "raised" not in answer and not int(answer["wrong"]), "words": words,
        "marked": line, "searched": searched,
        "kernels": [
            {"name": str(kernel["name"]), "grid": [int(size) for size in kernel["grid"]],
             "program": [int(place) for place in kernel["program"]]}
            for kernel in answer["kernels"]
        ],
        "parts": [[int(first), int(last)] for first, last in answer["parts"]],
        "lines": [
            {"line": int(number), "count": int(count), "runs": list(map(str, runs)),
             "lanes": int(lanes), "masked": int(masked)}
            for number, count, runs, lanes, masked in answer["lines"][:LINES_MOST]
        ],
    }  # fmt: skip


def _refused(words: str) -> Stopped:
    return Stopped(Check("accuracy", Verdict.UNSUPPORTED, words))
