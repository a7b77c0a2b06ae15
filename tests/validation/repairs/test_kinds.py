"""Each kind of mistake, in a pair of the library: the text that it changes, and nothing else."""

import ast
import re
from itertools import islice

import pytest

from validation.pairs.handwritten import LIBRARY
from validation.repairs.kinds import KINDS, MistakeKind
from validation.repairs.source import ParsedText

# The folder of a pair, a part of its text, and the same part with the mistake.
EXAMPLES = {
    "missing-load-mask": ("fused-softmax", ', mask=mask, other=-float("inf")', ""),
    "missing-store-mask": ("fused-softmax", "y, mask=mask)", "y)"),
    "half-mask": ("matmul", " & (inner[None, :] < size_k)", ""),
    "mask-off-by-one": ("fused-softmax", "mask = cols < n_cols", "mask = cols <= n_cols"),
    "wrong-other": ("sum-along-axis", "other=0.0", 'other=-float("inf")'),
    "missing-other": ("fused-softmax", 'mask=mask, other=-float("inf")', "mask=mask"),
    "wrong-stride": (
        "matmul",
        "a_stride_m + inner[None, :] * a_stride_k",
        "a_stride_k + inner[None, :] * a_stride_m",
    ),
    "assumed-contiguous": ("matmul", "inner[None, :] * a_stride_k", "inner[None, :]"),
    "transposed-load": (
        "matmul",
        "rows[:, None] * a_stride_m + inner[None, :] * a_stride_k,\n"
        "            mask=(rows[:, None] < size_m) & (inner[None, :]",
        "rows[None, :] * a_stride_m + inner[:, None] * a_stride_k,\n"
        "            mask=(rows[None, :] < size_m) & (inner[:, None]",
    ),
    "racing-store": ("scatter-add", "tl.atomic_add(", "tl.store("),
    "shared-place": ("rms-norm", "inverse_ptr + row", "inverse_ptr"),
    "narrow-integers": ("int8-matmul", "dtype=tl.int32", "dtype=tl.int8"),
    "low-precision": ("sum-along-axis", "dtype=tl.float32", "dtype=tl.float16"),
    "wrong-axis": ("sum-along-axis", "tl.sum(acc, axis=1)", "tl.sum(acc, axis=0)"),
    "swapped-operands": (
        "fused-softmax", "numerator / tl.sum(numerator, axis=0)",
        "tl.sum(numerator, axis=0) / numerator",
    ),
    "dropped-scale": ("rms-norm", " / n_cols + eps", " + eps"),
    "dropped-epsilon": ("rms-norm", "n_cols + eps", "n_cols"),
    "overwritten-accumulator": ("sum-along-axis", "acc = acc + x", "acc = x"),
    "wrong-initial-value": ("max-along-axis", '-float("inf"), dtype', "0.0, dtype"),
    "missing-maximum": ("fused-softmax", "tl.exp(x - tl.max(x, axis=0))", "tl.exp(x)"),
    "missing-constexpr": ("fused-softmax", "BLOCK_SIZE: tl.constexpr", "BLOCK_SIZE"),
    "no-power-of-two": ("fused-softmax", "triton.next_power_of_2(n_cols)", "n_cols"),
    "wrong-grid": ("sum-along-axis", "triton.cdiv(n_kept, 16)", "n_kept // 16"),
    "short-loop": ("sum-along-axis", "0, n_reduced,", "0, n_reduced - BLOCK_REDUCED + 1,"),
    "repeated-block": ("sum-along-axis", "first + tl.arange", "tl.arange"),
    "skipped-block": ("sum-along-axis", "in range(0,", "in range(BLOCK_REDUCED,"),
    "overlapping-blocks": ("sum-along-axis", "tl.program_id(0) * BLOCK_KEPT", "tl.program_id(0)"),
    "wrong-program-axis": ("scatter-add", "tl.program_id(1)", "tl.program_id(0)"),
    "swapped-arguments": ("sum-along-axis", "x,\n        out,", "out,\n        x,"),
    "uninitialized-output": ("scatter-add", "torch.zeros(", "torch.empty("),
    "unmasked-reduction": ("layer-norm", "tl.where(mask, x - mean, 0.0)", "x - mean"),
}  # fmt: skip


def library_text(folder: str) -> str:
    return (LIBRARY / folder / "triton_code.py").read_text()


def test_each_kind_has_an_example() -> None:
    assert set(EXAMPLES) == set(KINDS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_kind_makes_its_mistake_in_a_pair_of_the_library(name: str) -> None:
    folder, right, wrong = EXAMPLES[name]
    text = library_text(folder)

    faults = [fault.code for fault in KINDS[name].faults(ParsedText(text))]

    assert right in text
    assert text.replace(right, wrong, 1) in faults


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_faulty_text_can_be_parsed_and_is_the_same_above_the_named_line(
    kind: MistakeKind,
) -> None:
    for path in LIBRARY.glob("*/triton_code.py"):
        text = path.read_text()
        for fault in kind.faults(ParsedText(text)):
            ast.parse(fault.code)
            assert fault.code != text
            before, after = text.split("\n"), fault.code.split("\n")
            assert before[: fault.line - 1] == after[: fault.line - 1]


def test_the_explanation_quotes_a_statement_of_several_lines_as_one_line() -> None:
    faults = [*KINDS["half-mask"].faults(ParsedText(library_text("matmul")))]

    words = KINDS["half-mask"].explain(faults[0])

    wrong, correction = words.split("\n\n")
    # The first changed line is the third of the statement.
    assert wrong.startswith(
        f"The mistake is in `matmul_kernel`, line {faults[0].line}: `a = tl.load("
    )
    assert "`a = tl.load(a_ptr + rows[:, None] * a_stride_m" in wrong
    assert "mask=(rows[:, None] < size_m)," in wrong
    assert "& (inner[None, :] < size_k)" in correction
    assert "\n" not in wrong + correction


def test_a_missing_statement_is_not_quoted_but_its_place_is_named() -> None:
    text = "@triton.jit\ndef k(a_ptrs):\n    for i in range(9):\n        a_ptrs += 4\n        f()\n"

    (fault,) = KINDS["repeated-block"].faults(ParsedText(text))

    wrong, correction = KINDS["repeated-block"].explain(fault).split("\n\n")
    assert wrong.startswith(
        "A statement is missing in `k`, line 4. Without `a_ptrs += 4`, the address"
    )
    assert correction.startswith("The correction inserts `a_ptrs += 4` there.")


def test_an_argument_on_a_line_of_its_own_is_no_missing_statement() -> None:
    text = "@triton.jit\ndef k(x, m):\n    tl.load(\n        x,\n        mask=m,\n    )\n"

    (fault,) = KINDS["missing-load-mask"].faults(ParsedText(text))

    assert not fault.lacks_statement
    assert fault.shown == "tl.load(x)"


def test_a_store_has_no_memory_order() -> None:
    text = '@triton.jit\ndef k(x, y):\n    tl.atomic_add(x, y, sem="relaxed", scope="gpu")\n'

    (fault,) = KINDS["racing-store"].faults(ParsedText(text))

    assert fault.shown == "tl.store(x, y)"


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_explanation_is_filled_in_and_quotes_no_comment(kind: MistakeKind) -> None:
    for path in sorted(LIBRARY.glob("*/triton_code.py"))[::4]:
        for fault in islice(kind.faults(ParsedText(path.read_text())), 2):
            words = kind.explain(fault)
            assert not re.search(r"\{\w+\}", words.replace(fault.shown, ""))
            assert " # " not in words
            assert "\n" not in words.replace("\n\n", "", 1)


@pytest.mark.parametrize(
    ("kind", "folder", "words"),
    [
        (
            "dropped-scale",
            "rms-norm",
            "`tl.sum(x * x, axis=0)` is not divided by `n_cols`",
        ),
        ("missing-maximum", "fused-softmax", "`tl.max(x, axis=0)` is not subtracted"),
        ("mask-off-by-one", "fused-softmax", "the index `n_cols` passes the mask too"),
        ("wrong-other", "sum-along-axis", "take part in the reduction"),
        (
            "wrong-axis",
            "sum-along-axis",
            "`tl.sum` works along axis 0 of `acc`, so it combines",
        ),
        ("swapped-operands", "fused-softmax", "`numerator` must be the first"),
        ("missing-constexpr", "fused-softmax", "`BLOCK_SIZE` is known only at the launch"),
        ("swapped-arguments", "sum-along-axis", "The launch passes `out` as"),
    ],
)
def test_an_explanation_names_what_the_mistake_is_about(kind: str, folder: str, words: str) -> None:
    faults = KINDS[kind].faults(ParsedText(library_text(folder)))

    assert any(words in KINDS[kind].explain(fault) for fault in faults)


def test_parentheses_around_one_remaining_bound_go() -> None:
    source = ParsedText(
        "import triton\n@triton.jit\ndef kernel(a, b, n, m):\n    mask = (a < n) & (b < m)\n"
        "    keep = ((a < n) & (b < m))\n"
    )

    faults = [*KINDS["half-mask"].faults(source)]

    assert [fault.shown for fault in faults[2:]] == ["keep = (a < n)", "keep = (b < m)"]


def test_of_a_long_launch_the_explanation_quotes_the_changed_lines_only() -> None:
    source = ParsedText(library_text("adam-step"))

    (fault,) = KINDS["wrong-grid"].faults(source)

    assert fault.shown == "adam_step_kernel[(n_elements // 512,)]"
    assert fault.shown_right == "adam_step_kernel[(triton.cdiv(n_elements, 512),)]"


def test_a_pointer_that_moves_with_the_loop_stays_where_it_is() -> None:
    source = ParsedText(
        "import triton\n@triton.jit\ndef kernel(a_ptr, n, B):\n    for first in range(0, n, B):\n"
        "        a = tl.load(a_ptr)\n        a_ptr += B\n"
    )

    (fault,) = KINDS["repeated-block"].faults(source)

    assert "a_ptr += B" not in fault.code


def test_an_operand_that_binds_less_keeps_its_order_when_it_is_swapped() -> None:
    source = ParsedText(
        "import triton\n@triton.jit\ndef kernel(a, b, c):\n    d = (a + b) - c * 2\n"
    )

    (fault,) = KINDS["swapped-operands"].faults(source)

    assert fault.shown == "d = c * 2 - (a + b)"


def test_letters_outside_of_ascii_do_not_move_a_mistake() -> None:
    text = "import triton\n@triton.jit\ndef kernel(x, eps):\n    y = f('größe', x + eps)\n"

    (fault,) = KINDS["dropped-epsilon"].faults(ParsedText(text))

    assert fault.shown == "y = f('größe', x)"
