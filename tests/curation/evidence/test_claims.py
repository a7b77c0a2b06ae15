"""EvidenceClaim sheets: each hole in the proof of a pair is a sentence, and none is green."""

from dataclasses import replace
from typing import Any

import pytest

from curation.evidence.claim_sheet.claim_facts import refresh_open_claims, sheets
from curation.evidence.claim_sheet.sheet import claims, open_topics
from curation.evidence.claim_sheet.types import (
    ClaimFacts,
    ClaimState,
    KernelFacts,
    PairFacts,
    Validation,
)
from curation.models import Fingerprint, Kernel
from tests import factories as make

GRADES: dict[str, Any] = {
    "accuracy": "close",
    "own_error": 1.2,
    "sizes": "any",
    "values": "any",
    "special_values": "same",
    "unvaried": [],
    "computed_by": "triton",
    "launched": "all",
    "test_strength": "11 of 12",
}
KERNEL = """import triton
import triton.language as tl

@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offsets, 2 * tl.load(x + offsets, mask=offsets < n), mask=offsets < n)
"""
PROVEN = Validation(
    device="cuda",
    verdict="passed",
    environment={"gpu": "NVIDIA H200"},
    figures={"cases": 17, "grades": GRADES},
    checks={"bounds": {"reads": "shown"}, "variations": {}},
)
PAIR = PairFacts(
    license="MIT",
    license_verdict="permissive",
    text=KERNEL,
    column="triton_code",
    placed=True,
    compared_with="abc",
    validations=(PROVEN,),
    origin="manual",
)
CLEAN_KERNEL = KernelFacts(
    license="MIT",
    license_verdict="permissive",
    text=KERNEL,
    column="standalone_source",
    placed=True,
    compared_with="abc",
    findings=(),
    pairs={"double-1": True},
    validations=(Validation("compiler", "passed", environment={"target": "cuda:90"}),),
)


def graded(**grades: Any) -> PairFacts:
    kept = {name: value for name, value in {**GRADES, **grades}.items() if value is not None}
    return replace(PAIR, validations=(replace(PROVEN, figures={"cases": 17, "grades": kept}),))


def validated(**changes: Any) -> PairFacts:
    return replace(PAIR, validations=(replace(PROVEN, **changes),))


def compiled(**changes: Any) -> KernelFacts:
    made = replace(CLEAN_KERNEL.validations[0], environment={"triton": "3.9.0"}, **changes)
    return replace(CLEAN_KERNEL, validations=(made,))


HOLES: dict[str, tuple[ClaimFacts, str, str]] = {
    "not validated": (replace(PAIR, validations=()), "answers", "not tried"),
    "failed": (validated(verdict="failed", message="257 of 512 wrong"), "answers", "257 of 512"),
    "error": (validated(verdict="error"), "answers", "does not run"),
    "crashed": (validated(verdict="crashed"), "answers", "ends its process"),
    "not Triton": (validated(verdict="not_triton"), "answers", "do not compute"),
    "vacuous": (validated(verdict="vacuous"), "answers", "its test can't fail"),
    "timeout": (validated(verdict="timeout"), "answers", "not done in time"),
    "unsupported": (
        validated(device="interpreter", verdict="unsupported"),
        "answers",
        "can't be tried",
    ),
    "interpreter only": (validated(device="interpreter"), "device", "interpreter only"),
    "no accuracy": (graded(accuracy=None), "answers", "accuracy not judged"),
    "far off": (graded(accuracy="within", own_error=41.0), "answers", "41 times"),
    "within": (graded(accuracy="within", own_error=2.0), "answers", "2 times"),
    "no sizes": (graded(sizes=None), "sizes", "not tried"),
    "sizes not tried": (graded(sizes="not_tried"), "sizes", "not tried"),
    "sizes shown": (graded(sizes="shown"), "sizes", "wrong for some"),
    "no values": (graded(values=None), "values", "not tried"),
    "values not tried": (graded(values="not_tried"), "values", "not tried"),
    "values shown": (graded(values="shown"), "values", "wrong for some"),
    "no special values": (graded(special_values=None), "special values", "not tried"),
    "special values not tried": (graded(special_values="not_tried"), "special values", "not tried"),
    "special values differ": (graded(special_values="differ"), "special values", "other answers"),
    "no unvaried": (graded(unvaried=None), "arguments", "not looked for"),
    "unvaried": (graded(unvaried=["causal"]), "arguments", "causal"),
    "no computed_by": (graded(computed_by=None), "computed by", "not measured"),
    "mixed": (
        graded(computed_by="mixed", torch_operations=["torch.cat"], torch_share=0.33),
        "computed by",
        "PyTorch computes torch.cat, 33% of the bytes",
    ),
    "no launched": (graded(launched=None), "launches", "not looked for"),
    "not launched": (graded(launched="some", unlaunched=["double"]), "launches", "double"),
    "no test strength": (graded(test_strength=None), "test", "not measured"),
    "weak test": (graded(test_strength="2 of 12"), "test", "2 of 12"),
    "no bounds": (validated(checks={}), "memory", "not checked"),
    "reads not seen": (validated(checks={"bounds": {"reads": "not_seen"}}), "memory", "not seen"),
    "license unknown": (
        replace(PAIR, license="", license_verdict="unknown"),
        "license",
        "not known",
    ),
    "license blocked": (
        replace(PAIR, license="CC-BY-NC-4.0", license_verdict="blocked"),
        "license",
        "May not be distributed: CC-BY-NC-4.0",
    ),
    "opt-out": (replace(PAIR, opted_out=True), "opt-out", "opt-out excludes it"),
    "hidden characters": (replace(PAIR, hidden_characters="code"), "characters", "invisible"),
    "not placed": (replace(PAIR, placed=None), "near-duplicates", "not compared"),
    "near-duplicate": (
        replace(PAIR, represented_by="add-1", similarity=0.93),
        "near-duplicates",
        "Near-duplicate of add-1, 93% alike",
    ),
    "no benchmarks": (replace(PAIR, compared_with=""), "benchmarks", "not compared yet"),
    "benchmark": (replace(PAIR, benchmark="level1/1"), "benchmarks", "level1/1"),
    "kernel without a pair": (replace(CLEAN_KERNEL, pairs={}), "answers", "never compared"),
    "kernel's pair failed": (
        replace(CLEAN_KERNEL, pairs={"double-1": False}),
        "answers",
        "not shown by its pair",
    ),
    "kernel not compiled": (replace(CLEAN_KERNEL, validations=()), "compiles", "not tried"),
    "kernel does not compile": (compiled(verdict="failed"), "compiles", "Does not compile with Tr"),
    "compilation timeout": (
        compiled(verdict="timeout", figures={"reason": "timeout"}),
        "compiles",
        "undecided, timeout",
    ),
    "unknown signature": (
        compiled(verdict="unsupported", figures={"reason": "inference"}),
        "compiles",
        "undecided, inference",
    ),
    "no benchmark is registered": (
        replace(PAIR, compared_with=Fingerprint.NO_BENCHMARKS),
        "benchmarks",
        "not checked, none is registered",
    ),
    "kernel without findings": (replace(CLEAN_KERNEL, findings=None), "quality", "not checked"),
    "kernel with a warning": (
        replace(CLEAN_KERNEL, findings=(("docstring", False),)),
        "quality",
        "docstring",
    ),
    "kernel not standalone": (replace(CLEAN_KERNEL, standalone=False), "complete", "missing"),
}


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_in_the_proof_is_a_sentence_and_never_green(hole: str) -> None:
    facts, topic, words = HOLES[hole]

    sheet = claims(facts)

    assert open_topics(sheet) == [topic]
    assert words in sheet[0].text
    assert sheet[0].state is not ClaimState.SHOWN


@pytest.mark.parametrize("hole", ["sizes shown", "values shown", "special values differ"])
def test_another_answer_than_pytorch_is_wrong_and_not_only_untried(hole: str) -> None:
    assert claims(HOLES[hole][0])[0].state is ClaimState.WRONG


@pytest.mark.parametrize("facts", [PAIR, CLEAN_KERNEL])
def test_a_full_proof_leaves_no_claim_open(facts: ClaimFacts) -> None:
    assert open_topics(claims(facts)) == []


def test_a_failed_pair_claims_nothing_about_its_values() -> None:
    topics = [claim.topic for claim in claims(validated(verdict="failed"))]

    assert "values" not in topics and "sizes" not in topics


def test_wrong_claims_come_before_open_ones_and_these_before_shown_ones() -> None:
    sheet = claims(replace(graded(sizes="not_tried"), opted_out=True))

    states = [claim.state for claim in sheet]
    assert states == sorted(states, key=list(ClaimState).index)
    assert states[0] is ClaimState.WRONG and states[-1] is ClaimState.SHOWN


def test_a_store_of_a_block_without_a_mask_is_named_with_its_line() -> None:
    text = KERNEL.replace(", mask=offsets < n)\n", ")\n")

    [memory] = [claim for claim in claims(replace(PAIR, text=text)) if claim.topic == "memory"]
    [kernel] = [c for c in claims(replace(CLEAN_KERNEL, text=text)) if c.topic == "memory"]

    assert "1 store of a block without a mask, line 7" in memory.text
    assert memory.lines == kernel.lines == (7,)
    assert (memory.state, kernel.state) == (ClaimState.SHOWN, ClaimState.OPEN)


def test_a_store_of_one_element_needs_no_mask() -> None:
    text = KERNEL.replace("y + offsets", "y + tl.program_id(0)").replace(
        ", mask=offsets < n)\n", ")\n"
    )

    [memory] = [c for c in claims(replace(CLEAN_KERNEL, text=text)) if c.topic == "memory"]

    assert memory.state is ClaimState.SHOWN


def test_reads_seen_in_the_interpreter_complete_the_proof_of_a_gpu() -> None:
    gpu = replace(PROVEN, checks={"bounds": {"reads": "not_seen"}})
    interpreter = replace(PROVEN, device="interpreter")

    assert open_topics(claims(replace(PAIR, validations=(gpu, interpreter)))) == []


@pytest.mark.django_db
def test_open_claims_are_counted_for_items_without_a_count() -> None:
    kernel, counted = make.a_kernel(), make.a_kernel(open_claims=3)

    assert refresh_open_claims() == 1

    kernel.refresh_from_db()
    counted.refresh_from_db()
    expected = sum(claim.is_open for claim in sheets([kernel])[kernel.pk])
    assert (kernel.open_claims, counted.open_claims) == (expected, 3)


@pytest.mark.django_db
def test_a_scheduled_count_is_limited() -> None:
    for _ in range(3):
        make.a_kernel()

    assert refresh_open_claims(most=2) == 2
    assert Kernel.objects.filter(open_claims=None).count() == 1


@pytest.mark.django_db
def test_the_sheets_of_many_items_take_as_many_queries_as_those_of_a_few(
    django_assert_max_num_queries: Any,
) -> None:
    kernels = [make.a_kernel() for _ in range(20)]

    with django_assert_max_num_queries(12):
        sheets(kernels)


@pytest.mark.django_db
def test_a_wrong_claim_names_the_wrong_element_and_not_the_tensors_of_a_test() -> None:
    pair = make.a_pair()
    result = make.a_validation_result(pair=pair, verdict="failed", message="1 test fails: tensor(")
    result.checks.create(name="test", outcome="failed", message="1 test fails: tensor(")
    result.checks.create(name="accuracy", outcome="failed", message="case 0: 257 of 512 wrong")

    [answers] = [claim for claim in sheets([pair])[pair.pk] if claim.topic == "answers"]

    assert "257 of 512 wrong" in answers.text and "tensor(" not in answers.text
