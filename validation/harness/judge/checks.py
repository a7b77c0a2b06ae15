"""Checks of an entry: each turns evidence into a verdict with a message and numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from validation.harness.judge.compare import worst_grade
from validation.harness.judge.launcher_kernels import (
    REARRANGES,
    is_rearranged,
    launched_by_name,
    torch_share,
)
from validation.harness.judge.own_test import error_words
from validation.harness.judge.policy import passes
from validation.harness.judge.replay_evidence import JudgedReplay, Wanted
from validation.harness.plan.trial_plan import DECISIVE, GRADES, ORDERS
from validation.harness.report import Check, Verdict

PASSED, FAILED, NOT_TRITON = Verdict.PASSED, Verdict.FAILED, Verdict.NOT_TRITON
# For each grade: its value if all trials are right, its value if some are wrong, and the start of
# the message about wrong trials.
VALUES = {
    "sizes": ("any", "shown", "its domain has no"),
    "values": ("any", "shown", "its domain has no"),
    "special_values": ("same", "differ", "gives other answers to"),
}
DEPENDS_ON_ORDER = "the answer depends on the order in which programs run"
NOT_TRIED = "not_tried"
UNANSWERED = "the reference answers no other size, or only multiples of four"
GRADE_OF_KIND = {kind: grade for grade, kinds in GRADES.items() for kind in kinds}


def test(result: dict[str, Any]) -> Check:
    """Return check 1: the entry's own test passes, run as the dataset's contract requires."""
    numbers = {key: result.get(key) for key in ("passed", "failed", "skipped")}
    verdict = PASSED
    words = f"{result['passed']} tests pass"
    if result.get("raised"):
        verdict, words = Verdict.ERROR, f"{result['raised'].get('type')} ended the test run"
    elif result["failed"]:
        lines = str(result.get("complaint", "")).strip().splitlines()
        verdict, words = FAILED, f"{result['failed']} tests fail: {error_words(lines)}"
    elif not result["passed"]:
        words = "every test is skipped" if result["skipped"] else "there is no test"
        verdict = Verdict.VACUOUS
    elif result.get("exit") != 0:
        verdict, words = FAILED, f"pytest ended with status {result.get('exit')}"
    return Check("test", verdict, words, numbers)


def accuracy(runs: Sequence[JudgedReplay], wanted: dict[int, Wanted], left_out: str = "") -> Check:
    """Return check 2, which compares the answers for the entry's own cases with float64 answers.

    left_out: message about cases that are too large to compare.
    """
    check = _compared("accuracy", [run for run in runs if run.trial.kind == "shown"], wanted)
    if not left_out:
        return check
    numbers = {**check.numbers, "left_out": left_out}
    return replace(check, words=f"{check.words}; {left_out}", numbers=numbers)


def variations(
    runs: Sequence[JudgedReplay], wanted: dict[int, Wanted], origin: str, sizes_untried: str = "",
    unvaried: Mapping[str, str] | None = None,
) -> Check:  # fmt: skip
    """Return check 3, which compares answers for inputs that are not among the entry's cases.

    A wrong answer to another seed or a nearby size fails the entry. Other trials set grades, and
    the policy says which grades an entry of this origin needs. A grade without trials is no fault.

    sizes_untried: reason if no trial had other shapes.
    unvaried: arguments that had one value in all trials, each with the reason.
    """
    decisive = [run for run in runs if _decides(run, origin)]
    check = _compared("variations", [run for run in decisive if run.trial.kind != "shown"], wanted)
    numbers = {**check.numbers, "accuracy": _accuracy_grade(decisive), **_own_error(decisive)}
    verdict, words, notes = check.verdict, check.words, []
    for grade, (everywhere, beyond, about) in VALUES.items():
        of_kind = [run for run in runs if run.trial.kind in GRADES[grade]]
        if grade == "sizes":
            near = [run for run in runs if run.trial.kind == "near"]
            of_kind += [run for run in near if not _decides(run, origin)]
        wrong = [run for run in of_kind if not run.right]
        tried = of_kind
        if grade == "sizes":
            tried = [run for run in runs if run.trial.unseen]
        numbers[grade] = beyond if wrong else everywhere if tried else NOT_TRIED
        numbers["cases"] += len({run.trial.number for run in of_kind})
        if not wrong:
            continue
        names = numbers[f"{grade}_wrong"] = _names(wrong)
        example = f"{wrong[0].trial.name}: {wrong[0].words}"
        if passes(origin, grade, beyond):
            notes.append(f"{about} {', '.join(names)} ({example})")
        elif verdict in (PASSED, None):
            verdict, words = _failure(wrong), example
    if limits := _names([run for run in runs if run.trial.kind == "limit" and not run.right]):
        notes.append(f"not for inputs that are {', '.join(limits)}")
        numbers["limits"] = limits
    if numbers["sizes"] == NOT_TRIED:
        numbers["sizes_untried"] = sizes_untried or UNANSWERED
        notes.append(f"sizes not tried: {numbers['sizes_untried']}")
    if unvaried is not None:
        numbers |= {"unvaried": list(unvaried), "unvaried_because": dict(unvaried)}
    return Check(check.name, verdict, "; ".join([words, *notes]), numbers)


def _names(runs: Sequence[JudgedReplay]) -> list[str]:
    return sorted({run.trial.name for run in runs})


def _failure(wrong: Sequence[JudgedReplay]) -> Verdict:
    return Verdict.ERROR if all(run.raised for run in wrong) else FAILED


def _decides(run: JudgedReplay, origin: str) -> bool:
    """Return whether a wrong answer in this run fails the entry, whatever its origin. If the policy
    accepts a limited domain, a nearby size that the author's assertion refuses does not count."""
    if run.trial.kind not in DECISIVE:
        return False
    refused = run.trial.kind == "near" and run.raised is not None
    return not (refused and passes(origin, "sizes", "shown"))


def within_domain(runs: Sequence[JudgedReplay], origin: str) -> list[JudgedReplay]:
    """Return the runs within the entry's domain. The other checks consider only these runs."""
    return [run for run in runs if _decides(run, origin) or _needs_all(run.trial.kind, origin)]


def in_bounds(runs: Sequence[JudgedReplay], origin: str) -> list[JudgedReplay]:
    """Return the runs to check for bounds: all runs, unless the policy accepts a limited domain."""
    return within_domain(runs, origin) if passes(origin, "sizes", "shown") else list(runs)


def _needs_all(kind: str, origin: str) -> bool:
    """Return whether the policy requires right answers to all trials of this kind."""
    grade = GRADE_OF_KIND.get(kind, "")
    return bool(grade) and not passes(origin, grade, VALUES[grade][1])


def _accuracy_grade(runs: Sequence[JudgedReplay]) -> str | None:
    """Return the worst accuracy grade of the right answers, or None if no answer is right."""
    grade = worst_grade(run.worst.grade for run in runs if run.right and run.value is not None)
    return str(grade) if grade else None


def _own_error(runs: Sequence[JudgedReplay]) -> dict[str, float]:
    """Return the largest error of the right answers as a multiple of torch's error, if known."""
    own = [run.worst.own_error for run in runs if run.right and run.worst.own_error is not None]
    return {"own_error": max(own)} if own else {}


def _compared(name: str, runs: Sequence[JudgedReplay], wanted: dict[int, Wanted]) -> Check:
    wrong = [run for run in runs if not run.right]
    numbers: dict[str, Any] = {
        "cases": len({run.trial.number for run in runs}),
        "against_float64": sum(
            bool((answer := wanted.get(run.trial.number)) and answer.precise) for run in runs
        ),
        **_errors(runs),
    }
    if not runs:
        return Check(name, None, "nothing to compare", numbers)
    if wrong:
        numbers["wrong"] = _names(wrong)
        tail = f" ({wrong[0].mode} run)" if len({run.mode for run in wrong}) == 1 else ""
        if all(run.mode in ORDERS for run in wrong):
            tail = f"; {DEPENDS_ON_ORDER}"
        words = f"{wrong[0].trial.name}: {wrong[0].words}{tail}"
        return Check(name, _failure(wrong), words, numbers)
    share = f"at most {numbers['share_of_allowed']:.0%} of the allowed error"
    return Check(name, PASSED, f"right on {numbers['cases']} inputs, {share}", numbers)


def _errors(runs: Sequence[JudgedReplay]) -> dict[str, float]:
    """Return the largest errors of the answers that were compared, or an empty dictionary.

    A run that raised, or an answer of another shape, has no error. A 0 would look exact.
    """
    worst = [run.worst for run in runs if run.value is not None and (run.right or run.worst.share)]
    if not worst:
        return {}
    return {
        "max_abs_error": max(comparison.absolute for comparison in worst),
        "max_rel_error": max(comparison.relative for comparison in worst),
        "share_of_allowed": max(comparison.share for comparison in worst),
    }


def memory(runs: Sequence[JudgedReplay], wanted: dict[int, Wanted]) -> Check:
    """Return check 4: inputs stay unchanged, and outputs don't alias them and are fully written."""
    numbers = {"orders": sorted({run.mode for run in runs} & set(ORDERS))}
    if fault := _memory_fault(runs, wanted):
        return Check("memory", FAILED, fault, numbers)
    if all(run.value is None for run in runs):
        return Check("memory", None, "no run returned an answer", numbers)
    words = "inputs are unchanged, outputs don't alias them and are fully written"
    return Check("memory", PASSED, words, numbers)


def _memory_fault(runs: Sequence[JudgedReplay], wanted: dict[int, Wanted]) -> str:
    for run in runs:
        expected = wanted[run.trial.number]
        changed = [one for one in run.details.get("mutated", ()) if one not in expected.mutated]
        if run.value is None:
            continue
        if changed:
            return f"{run.trial.name}: changes its input {changed[0]}"
        theirs = expected.native.aliases if expected.native else ()
        for place, (is_input, may_be) in enumerate(zip(run.value.aliases, theirs, strict=False)):
            if is_input and not may_be:
                return f"{run.trial.name}: output {place} is memory of an input"
    for run in runs:
        if run.details.get("again"):
            return f"{run.trial.name}: overwrites the answer that it returned before"
    right = {run.trial.number for run in runs if run.mode == "second" and run.right}
    for run in runs:
        if run.mode == "first" and not run.right and run.trial.number in right:
            cause = "unwritten memory, beside its inputs or freshly allocated"
            return f"{run.trial.name}: the answer depends on {cause}"
    right = {run.trial.number for run in runs if run.mode == "first" and run.right}
    for run in runs:
        if run.mode in ORDERS and not run.right and run.trial.number in right:
            return f"{run.trial.name}: {DEPENDS_ON_ORDER}"
    for run in runs:
        if not run.right and _holds_poison(run):
            return f"{run.trial.name}: returns memory that was never written"
    return ""


def _holds_poison(run: JudgedReplay) -> bool:
    """Return whether the answer still holds the pattern that filled its memory before the run."""
    pattern = bytes([0x4B if run.mode == "second" else 0xFF]) * 4
    tensors = run.value.tensors() if run.value else []
    return any(pattern in bytes(tensor.raw[: 1 << 20]) for tensor in tensors)


def determinism(runs: Sequence[JudgedReplay]) -> Check:
    """Return check 5: the same inputs give the same answer twice.

    Only right answers are compared, because wrong answers already fail another check.
    """
    answers: dict[int, list[list[bytes]]] = {}
    for run in runs:
        if run.right and run.value is not None:
            bits = [bytes(tensor.raw) for tensor in run.value.tensors()]
            answers.setdefault(run.trial.number, []).append(bits)
    twice = [same for same in answers.values() if len(same) > 1]
    different = sum(same[0] != same[1] for same in twice)
    numbers = {"twice": len(twice), "different": different}
    if not twice:
        return Check("determinism", None, "nothing was run twice", numbers)
    words = f"{len(twice)} inputs give the same bits twice"
    if different:
        words = f"not deterministic: {different} of {len(twice)} differ within what is allowed"
    return Check("determinism", PASSED, words, numbers)


def triton(
    runs: Sequence[JudgedReplay], idle: Sequence[JudgedReplay], problems: Mapping[str, int],
    computed: Mapping[str, int], in_test: str, text: str,
) -> Check:  # fmt: skip
    """Return check 6: the entry's own kernels compute the answer.

    idle: replays in which kernel launches do nothing.
    problems: counts of launcher actions that no replay repeats.
    computed: counts of what the launcher computes without kernels, outside of the replay.
    in_test: description of how the launcher behaves differently in its own test.
    text: triton_code. It may launch kernels that no trial reached, which are then unproven.
    """
    launches: Counter[str] = Counter()
    beside = Counter(computed)
    for run in runs:
        launches.update(run.count("launches"))
        beside.update(run.count("computed"))
    if is_rearranged(text, runs):
        beside[REARRANGES] += 1
    numbers: dict[str, Any] = {
        "launches": dict(launches), "computed": dict(beside), "problems": dict(problems),
    }  # fmt: skip
    if problems and not all(run.right or run.strays for run in runs):
        words = f"computes outside its kernels: {_tally(Counter(problems))}"
        return Check("triton", NOT_TRITON, words, numbers)
    if not launches:
        if runs and all(run.raised for run in runs):
            return Check("triton", None, "it raised before it launched anything", numbers)
        # Wrong answers don't show that something other than kernels computed them.
        verdict = NOT_TRITON if any(run.right for run in runs) else FAILED
        return Check("triton", verdict, "no Triton kernel of its own was launched", numbers)
    useful = [run for run in idle if run.value is None or any(run.value.contents())]
    if useful and all(run.right for run in useful):
        words = "the answer is right even when its kernels do nothing"
        return Check("triton", NOT_TRITON, words, numbers)
    if in_test:
        return Check("triton", NOT_TRITON, in_test, numbers)
    words = f"launches {_tally(launches)}, and the output depends on it"
    numbers["computed_by"] = "mixed" if beside else "triton"
    if beside:
        numbers["torch_operations"] = sorted(beside)
        numbers["torch_share"] = torch_share(text, runs, beside)
        words += f"; torch computes a part: {_tally(beside)}"
    named = launched_by_name(text)
    numbers["launched"] = "all" if named <= launches.keys() else "some"
    if unlaunched := sorted(named - launches.keys()):
        numbers["unlaunched"] = unlaunched
        words += f"; no input launches {', '.join(unlaunched)}"
    return Check("triton", PASSED, words, numbers)


def bounds(runs: Sequence[JudgedReplay], *, sees_reads: bool) -> Check:
    """Return check 8: kernels access no memory outside of tensors.

    sees_reads: whether reads out of bounds were detectable, as in the interpreter.
    """
    for run in runs:
        for words in run.strays:
            return Check("bounds", FAILED, f"{run.trial.name}: {words}")
    if not any(run.count("launches") for run in runs):
        return Check("bounds", None, "no kernel was launched")
    words = "no byte beside a tensor was written to"
    if sees_reads:
        return Check("bounds", PASSED, f"{words} or read", {"reads": "shown"})
    words += "; reads out of bounds: not seen"
    return Check("bounds", PASSED, words, {"reads": "not_seen"})


def gradients(runs: Sequence[JudgedReplay], declared: bool) -> Check:
    """Return check 9: the backward pass is right, if the entry declares one."""
    if not declared:
        return Check("gradients", None, "the entry declares none")
    wrong = [run for run in runs if not run.right and "gradient" in run.words]
    if wrong:
        return Check("gradients", FAILED, f"{wrong[0].trial.name}: {wrong[0].words}")
    compared = sum(len(run.value.gradients) for run in runs if run.value is not None)
    if not compared:
        return Check("gradients", None, "no gradient was computed")
    return Check("gradients", PASSED, f"{compared} gradients are right", {"compared": compared})


def _tally(names: Counter[str]) -> str:
    return ", ".join(f"{name} ({count} times)" for name, count in names.most_common(4))
