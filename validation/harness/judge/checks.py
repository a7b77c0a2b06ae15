"""The nine checks, each from evidence to a verdict in words and numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from validation.harness.judge.compare import Grade
from validation.harness.judge.evidence import Outcome, Wanted
from validation.harness.plan import DECISIVE, GRADES
from validation.harness.policy import passes
from validation.harness.report import Check, Verdict

PASSED, FAILED, NOT_TRITON = Verdict.PASSED, Verdict.FAILED, Verdict.NOT_TRITON


def test(said: dict[str, Any]) -> Check:
    """1: the entry's own test, as the contract runs it."""
    numbers = {key: said.get(key) for key in ("passed", "failed", "skipped")}
    if said.get("raised"):
        words = f"the test run was left by {said['raised'].get('type')}"
        return Check("test", Verdict.ERROR, words, numbers)
    if said["failed"]:
        lines = str(said.get("complaint", "")).strip().splitlines()
        return Check("test", FAILED, f"{said['failed']} tests fail: {_last(lines)}", numbers)
    if not said["passed"]:
        words = "every test is skipped" if said["skipped"] else "there is no test"
        return Check("test", Verdict.VACUOUS, words, numbers)
    if said.get("exit") != 0:
        return Check("test", FAILED, f"pytest ended with status {said.get('exit')}", numbers)
    return Check("test", PASSED, f"{said['passed']} tests pass", numbers)


def accuracy(runs: Sequence[Outcome], wanted: dict[int, Wanted], left_out: str = "") -> Check:
    """2: the shown cases against float64. `left_out`: what is said of those that are too large."""
    check = _compared("accuracy", [run for run in runs if run.trial.kind == "shown"], wanted)
    if not left_out:
        return check
    numbers = {**check.numbers, "left_out": left_out}
    return replace(check, words=f"{check.words}; {left_out}", numbers=numbers)


def variations(runs: Sequence[Outcome], wanted: dict[int, Wanted], origin: str) -> Check:
    """3: what the cases don't show. Other seeds and nearby sizes decide. The rest makes grades, and
    the policy says whether an entry of this origin passes with them."""
    decisive = [run for run in runs if _decides(run, origin)]
    check = _compared("variations", [run for run in decisive if run.trial.kind != "shown"], wanted)
    numbers = {**check.numbers, "accuracy": _accuracy_grade(decisive)}
    notes, verdict, words = [], check.verdict, check.words
    for grade, kinds in GRADES.items():
        of_kind = [run for run in runs if run.trial.kind in kinds]
        if grade == "sizes":
            of_kind += [
                run for run in runs if run.trial.kind == "near" and not _decides(run, origin)
            ]
        wrong = [run for run in of_kind if not run.right]
        numbers[grade] = (BEYOND if wrong else EVERYWHERE)[grade] if of_kind else None
        numbers["cases"] += len({run.trial.number for run in of_kind})
        if not wrong:
            continue
        numbers[f"{grade}_wrong"] = sorted({run.trial.name for run in wrong})
        said = f"{wrong[0].trial.name}: {wrong[0].words}"
        if passes(origin, grade, numbers[grade]):
            notes.append(f"{GRADE_WORDS[grade]} {', '.join(numbers[f'{grade}_wrong'])} ({said})")
        elif verdict is PASSED or verdict is None:
            verdict = Verdict.ERROR if all(run.raised for run in wrong) else FAILED
            words = said
    limits = sorted({
        run.trial.name for run in runs if run.trial.kind == "limit" and not run.right
    })  # fmt: skip
    if limits:
        notes.append(f"not for inputs that are {', '.join(limits)}")
        numbers["limits"] = limits
    return Check(check.name, verdict, "; ".join([words, *notes]), numbers)


EVERYWHERE = {"sizes": "any", "values": "any", "special_values": "same"}
BEYOND = {"sizes": "shown", "values": "shown", "special_values": "differ"}
GRADE_WORDS = {
    "sizes": "its domain has no", "values": "its domain has no",
    "special_values": "answers otherwise to",
}  # fmt: skip


def _decides(run: Outcome, origin: str) -> bool:
    """Return whether the run counts for every entry. A nearby size that the author's own assertion
    refuses is outside of the domain, where a domain is enough."""
    if run.trial.kind not in DECISIVE:
        return False
    refused = run.trial.kind == "near" and run.raised is not None
    return not (refused and passes(origin, "sizes", BEYOND["sizes"]))


def counted(runs: Sequence[Outcome], origin: str) -> list[Outcome]:
    """Return the runs that other checks look at: not those outside of the entry's domain."""
    return [run for run in runs if _decides(run, origin) or not _is_beyond(run.trial.kind, origin)]


def _is_beyond(kind: str, origin: str) -> bool:
    grade = next((grade for grade, kinds in GRADES.items() if kind in kinds), "")
    return kind in ("limit", "near") or passes(origin, grade, BEYOND.get(grade, ""))


def _accuracy_grade(runs: Sequence[Outcome]) -> str | None:
    """Return the worst grade of the right answers, or None if no answer is right."""
    right = [run.worst.grade for run in runs if run.right and run.value is not None]
    return str(max(right, key=list(Grade).index)) if right else None


def _compared(name: str, runs: Sequence[Outcome], wanted: dict[int, Wanted]) -> Check:
    wrong = [run for run in runs if not run.right]
    precise = sum(1 for run in runs if (answer := wanted.get(run.trial.number)) and answer.precise)
    numbers: dict[str, Any] = {
        "cases": len({run.trial.number for run in runs}),
        "against_float64": precise,
        **_errors(runs),
    }
    if not runs:
        return Check(name, None, "nothing to compare", numbers)
    if wrong:
        worst = wrong[0]
        numbers["wrong"] = sorted({run.trial.name for run in wrong})
        tail = f" ({worst.mode} run)" if len({run.mode for run in wrong}) == 1 else ""
        verdict = Verdict.ERROR if all(run.raised for run in wrong) else FAILED
        return Check(name, verdict, f"{worst.trial.name}: {worst.words}{tail}", numbers)
    share = f"at most {numbers['share_of_allowed']:.0%} of the allowed error"
    return Check(name, PASSED, f"right on {numbers['cases']} inputs, {share}", numbers)


def _errors(runs: Sequence[Outcome]) -> dict[str, float]:
    """Return the largest errors of the answers whose numbers were compared, or nothing.

    A run that raised, or an answer of another shape, has no error: a 0 would read as exact.
    """
    worst = [run.worst for run in runs if run.value is not None and (run.right or run.worst.share)]
    if not worst:
        return {}
    return {
        "max_abs_error": max(one.absolute for one in worst),
        "max_rel_error": max(one.relative for one in worst),
        "share_of_allowed": max(one.share for one in worst),
    }


def memory(runs: Sequence[Outcome], wanted: dict[int, Wanted]) -> Check:
    """4: inputs left alone, outputs in memory of their own, no unwritten memory read."""
    for run in runs:
        expected = wanted[run.trial.number]
        changed = [one for one in run.said.get("mutated", ()) if one not in expected.mutated]
        if changed and run.value is not None:
            return Check("memory", FAILED, f"{run.trial.name}: changes its input {changed[0]}")
        if run.value is None or expected.native is None:
            continue
        for place, (mine, theirs) in enumerate(
            zip(run.value.aliases, expected.native.aliases, strict=False)
        ):
            if mine and not theirs:
                words = f"{run.trial.name}: output {place} is memory of an input"
                return Check("memory", FAILED, words)
    if again := [run for run in runs if run.said.get("again")]:
        words = f"{again[0].trial.name}: writes over the answer that it handed out before"
        return Check("memory", FAILED, words)
    right = {run.trial.number for run in runs if run.mode == "second" and run.right}
    for run in runs:
        if run.mode == "first" and not run.right and run.trial.number in right:
            cause = "what nobody wrote, beside its inputs or in fresh memory"
            return Check("memory", FAILED, f"{run.trial.name}: the answer changes with {cause}")
    unwritten = [run for run in runs if not run.right and _poison(run)]
    if unwritten:
        words = f"{unwritten[0].trial.name}: hands out memory that nobody wrote to"
        return Check("memory", FAILED, words)
    if all(run.value is None for run in runs):
        return Check("memory", None, "no run returned an answer")
    words = "inputs are unchanged, outputs don't alias them and are fully written"
    return Check("memory", PASSED, words)


def _poison(run: Outcome) -> bool:
    """Return whether the wrong answer still holds the bytes that its memory was filled with."""
    if run.value is None:
        return False
    pattern = 0xFF if run.mode == "first" else 0x4B
    return any(bytes([pattern]) * 4 in bytes(leaf.raw[: 1 << 20]) for leaf in run.value.tensors())


def determinism(runs: Sequence[Outcome]) -> Check:
    """5: twice the same inputs. Right both times, or the comparison says so already."""
    by_trial: dict[int, list[Outcome]] = {}
    for run in runs:
        if run.right and run.value is not None:
            by_trial.setdefault(run.trial.number, []).append(run)
    twice = [same for same in by_trial.values() if len(same) > 1]
    different = [same for same in twice if _bits(same[0]) != _bits(same[1])]
    numbers = {"twice": len(twice), "different": len(different)}
    if not twice:
        return Check("determinism", None, "nothing was run twice", numbers)
    if different:
        words = f"not deterministic: {len(different)} of {len(twice)} differ within what is allowed"
        return Check("determinism", PASSED, words, numbers)
    return Check("determinism", PASSED, f"{len(twice)} inputs give the same bits twice", numbers)


def _bits(run: Outcome) -> list[bytes]:
    return [bytes(leaf.raw) for leaf in run.value.tensors()] if run.value else []


def triton(
    runs: Sequence[Outcome], idle: Sequence[Outcome], problems: Mapping[str, int],
    beside: Mapping[str, int], otherwise: str,
) -> Check:  # fmt: skip
    """6: its own kernels compute the answer.

    `problems`: what the launcher does that is not played, so that the answer is wrong wherever it
    matters. `beside`: what it computes without kernels, as far as no replay sees it. `otherwise`:
    what it does otherwise in its own test, in words.
    """
    launches: Counter[str] = Counter()
    computed = Counter(beside)
    for run in runs:
        launches.update(run.count("launches"))
        computed.update(run.count("computed"))
    numbers: dict[str, Any] = {
        "launches": dict(launches), "computed": dict(computed), "problems": dict(problems),
    }  # fmt: skip
    if problems and not all(run.right for run in runs):
        words = f"computes outside its kernels: {_tally(Counter(problems))}"
        return Check("triton", NOT_TRITON, words, numbers)
    if not launches:
        if runs and all(run.raised for run in runs):
            return Check("triton", None, "it raised before it launched anything", numbers)
        # With nothing right there is nothing that something else could have computed.
        verdict = NOT_TRITON if any(run.right for run in runs) else FAILED
        return Check("triton", verdict, "no Triton kernel of its own was launched", numbers)
    useful = [run for run in idle if run.value is None or any(run.value.contents())]
    if useful and all(run.right for run in useful):
        words = "the answer is right even when its kernels do nothing"
        return Check("triton", NOT_TRITON, words, numbers)
    if otherwise:
        return Check("triton", NOT_TRITON, otherwise, numbers)
    numbers["computed_by"] = "mixed" if computed else "triton"
    if computed:
        numbers["torch_operations"] = sorted(computed)
        numbers["torch_share"] = _share_of_torch(runs)
    words = f"launches {_tally(launches)}, and the output depends on it"
    if computed:
        words += f"; torch computes a part: {_tally(computed)}"
    return Check("triton", PASSED, words, numbers)


def _share_of_torch(runs: Sequence[Outcome]) -> float:
    """Return torch's share of the bytes that it and kernels touch: of each type's largest inputs,
    where a fixed cost matters least, the largest."""
    largest: dict[str, tuple[int, float]] = {}
    for run in runs:
        touched = run.count("bytes")
        whole = sum(touched.values())
        found = whole, touched.get("torch", 0) / max(1, whole)
        dtype = str(run.trial.case.get("dtype"))
        largest[dtype] = max(largest.get(dtype, (0, 0.0)), found)
    return round(max((share for _, share in largest.values()), default=0.0), 3)


def bounds(runs: Sequence[Outcome]) -> Check:
    """8: the zones around every tensor and, in the interpreter, every place that is touched."""
    for run in runs:
        for words in run.said.get("trespass", ()):
            return Check("bounds", FAILED, f"{run.trial.name}: {str(words)[:200]}")
    if not any(run.count("launches") for run in runs):
        return Check("bounds", None, "no kernel was launched")
    return Check("bounds", PASSED, "no byte beside a tensor was written to")


def gradients(runs: Sequence[Outcome], declared: bool) -> Check:
    """9: backward, where the entry declares it."""
    if not declared:
        return Check("gradients", None, "the entry declares none")
    wrong = [run for run in runs if not run.right and "gradient" in run.words]
    if wrong:
        return Check("gradients", FAILED, f"{wrong[0].trial.name}: {wrong[0].words}")
    compared = sum(len(run.value.gradients) for run in runs if run.value is not None)
    if not compared:
        return Check("gradients", None, "no gradient was computed")
    return Check("gradients", PASSED, f"{compared} gradients are right", {"compared": compared})


def falsifiable(
    said: dict[str, Any],
    wanted: dict[int, Wanted],
    shown: Sequence[int],
    alike: Sequence[list[int]],
) -> Check:
    """7: the test notices damage, and the reference looks at its inputs. `shown`: the trials that
    are cases of the entry; `alike`: trials that differ in their values only."""
    vacuous = Verdict.VACUOUS
    numbers = {key: said.get(key) for key in ("tests", "noticed", "unnoticed", "without_effect")}
    if said.get("control"):
        words = f"the test fails for the reference itself: {_words(said['control'])}"
        return Check("falsifiable", FAILED, words, numbers)
    if not said.get("noticed") and not said.get("unnoticed"):
        words = "the test never calls the candidate"
        if said.get("called"):
            words = "what the reference hands back holds nothing that could be damaged"
        return Check("falsifiable", vacuous, words, numbers)
    noticed, unnoticed = list(said["noticed"]), list(said["unnoticed"])
    numbers["test_strength"] = f"{len(noticed)} of {len(noticed) + len(unnoticed)}"
    if serious := [name for name in unnoticed if not name.startswith(MINOR)]:
        words = f"the test does not notice: {', '.join(serious)}"
        return Check("falsifiable", vacuous, words, numbers)
    if all(_empty(wanted[number]) for number in shown):
        return Check("falsifiable", vacuous, "every case has an empty answer", numbers)
    if deaf(wanted, alike):
        words = "the reference gives the same answer whatever its inputs hold"
        return Check("falsifiable", vacuous, words, numbers)
    words = f"the test notices {numbers['test_strength']} kinds of damage"
    if unnoticed:
        words += f", not: {', '.join(unnoticed)}"
    return Check("falsifiable", PASSED, words, numbers)


# The harness compares types and small errors itself; a test that misses them is weak, not vacuous.
MINOR = ("another type", "small relative error")


def deaf(wanted: dict[int, Wanted], alike: Sequence[list[int]]) -> bool:
    groups = []
    for numbers in alike:
        answers = [
            answer.native.contents()
            for number in numbers
            if (answer := wanted.get(number)) and answer.native is not None
        ]
        if len(answers) > 1 and any(any(parts) for parts in answers):
            groups.append(all(answer == answers[0] for answer in answers))
    return bool(groups) and all(groups)


def _empty(answer: Wanted) -> bool:
    tensors = answer.native.tensors() if answer.native else []
    return bool(tensors) and not any(len(leaf.raw) for leaf in tensors)


def _words(error: Any) -> str:
    if isinstance(error, dict):
        return f"{error.get('type')} {str(error.get('text', ''))[:200]}".strip()
    return str(error)[:200]


def _last(lines: list[str]) -> str:
    for line in reversed(lines):
        if line.startswith("E "):
            return line[2:].strip()[:300]
    return lines[-1][:300] if lines else ""


def _tally(names: Counter[str]) -> str:
    return ", ".join(f"{name} ({count} times)" for name, count in names.most_common(4))
