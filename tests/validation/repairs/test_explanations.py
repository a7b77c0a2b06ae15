"""Explanations that depend on the kernel: they claim what its code shows, and no more."""

import pytest

from curation.models import Device, Outcome, Verdict
from validation.findings import FindingCheck, ItemFinding
from validation.repairs.check import proves
from validation.repairs.kinds import KINDS
from validation.repairs.source import ParsedText


def explain(kind: str, body: str, shown: str = "", *, before: str = "", after: str = "") -> str:
    """Return the explanation of the first mistake in a kernel whose statement is `shown`."""
    lines = "\n".join(f"    {line}" for line in body.strip().split("\n"))
    arguments = "x_ptr, v_ptr, out_ptr, n_rows, n_cols, stride, M: tl.constexpr, N: tl.constexpr"
    text = f"{before}@triton.jit\ndef kernel({arguments}):\n{lines}\n{after}"
    faults = [fault for fault in KINDS[kind].faults(ParsedText(text)) if shown in fault.shown]
    assert faults
    return KINDS[kind].explain(faults[0])


ROW = """
cols = tl.arange(0, N)
mask = cols < n_cols
x = tl.load(x_ptr + tl.program_id(0) * stride + cols, mask=mask, other=0.0).to(tl.float32)
"""
STORE = "tl.store(out_ptr + cols, y)"
TILE = """
rows = tl.program_id(0) * M + tl.arange(0, M)
cols = tl.program_id(1) * N + tl.arange(0, N)
mask = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
x = tl.load(x_ptr + rows[:, None] * stride + cols[None, :], mask=mask, other=0.0)
"""


# --- low-precision ------------------------------------------------------------------------
TANH = "@triton.jit\ndef tanh(x):\n    return 2.0 * tl.sigmoid(2.0 * x) - 1.0\n"


@pytest.mark.parametrize(
    ("use", "before", "function"),
    [
        ("y = tl.where(x > 0.0, x, tl.exp(-tl.abs(0.5 * x)))", "", "tl.exp"),
        ("y = tanh(x * N)", TANH, "tl.sigmoid"),
    ],
    ids=["in the kernel", "in a helper"],
)
def test_a_lost_conversion_names_the_function_that_gets_the_inputs_type(
    use: str, before: str, function: str
) -> None:
    words = explain("low-precision", ROW + use, "x = ", before=before)

    assert f"`{function}` accepts only float32 and float64" in words
    assert words.endswith(f"float32 is a type that `{function}` accepts.")


@pytest.mark.parametrize("use", ["y = x * 0.01", "y = tl.exp(x / 2.0)", "y = tl.exp(x * stride)"])
def test_a_lost_conversion_names_no_function_that_gets_float32(use: str) -> None:
    assert "accepts only" not in explain("low-precision", ROW + use, "x = ")


@pytest.mark.parametrize(
    ("kind", "message", "device", "proven"),
    [
        ("low-precision", "case 2: 599 elements are wrong", Device.INTERPRETER, False),
        ("low-precision", "Expected dtype ['fp32'] but got bf16", Device.INTERPRETER, True),
        ("low-precision", "case 2: 599 elements are wrong", Device.CUDA, True),
        ("wrong-axis", "case 2: 599 elements are wrong", Device.INTERPRETER, True),
    ],
)
def test_the_interpreter_proves_low_precision_only_by_a_rejected_type(
    kind: str, message: str, device: Device, *, proven: bool
) -> None:
    check = FindingCheck("accuracy", Outcome.FAILED, message)
    finding = ItemFinding(Verdict.FAILED, "accuracy fails", checks=(check,))

    assert proves(KINDS[kind], finding, device.value) is proven


# --- dropped-epsilon and dropped-scale ----------------------------------------------------
@pytest.mark.parametrize(
    ("use", "harm", "fix"),
    [
        ("y = x * tl.rsqrt(s + 1e-6)", "reciprocal root of `s` is too large", "never 0"),
        ("y = x / (s + 1e-6)", "The divisor `s` is too small", "the divisor is never 0"),
        ("d = tl.sqrt(s + 1e-6)\ny = x / d", "root of `s` is too small as a", "is never 0"),
        ("y = tl.sqrt(s + 1e-6)", "Where `s` is small, the result is too small", "that floor"),
        ("y = tl.log(s + 1e-6)", "Where `s` is small, the result is too small", "that floor"),
        ("y = tl.maximum(s + 1e-6, x)", "It counts most where `s` is small", "part of the sum"),
    ],
)
def test_a_missing_epsilon_is_explained_by_the_use_of_the_sum(
    use: str, harm: str, fix: str
) -> None:
    words = explain("dropped-epsilon", f"{ROW}s = tl.sum(x * x, axis=0)\n{use}\n{STORE}")

    assert harm in words
    assert fix in words


@pytest.mark.parametrize(
    ("use", "effect"),
    [
        ("y = 30.0 * tanh(x / 30.0)", "so it is 30 times too small."),
        ("y = tl.where(x > 0.0, 0.5 * x, 0.0)", "so it is 2 times too large."),
        ("y = 0.7978845608 * x", "so it is about 1.253 times too large."),
        ("y = x * scale", "`x` is not scaled by `scale`."),
        (
            "y = tl.where(x > 0.0, x, 0.01 * x)",
            "100 times too large. Both cases of `tl.where` are then equal, so the condition has",
        ),
    ],
)
def test_a_missing_factor_says_how_far_the_value_is_off(use: str, effect: str) -> None:
    assert effect in explain("dropped-scale", ROW + use)


# --- wrong-axis and overwritten-accumulator -----------------------------------------------
ACCUMULATED = """
cols = tl.arange(0, N)
acc = {start}
for first in range(0, n_rows, M):
    rows = first + tl.arange(0, M)
    acc += {value}
total = tl.sum(acc, axis=0)
"""


@pytest.mark.parametrize(
    ("start", "value"),
    [
        ("tl.zeros((M, N), dtype=tl.float32)", "helper(rows[:, None])"),
        ("0.0", "tl.load(x_ptr + rows[:, None] * stride + cols[None, :])"),
    ],
    ids=["by its shape", "by what is added"],
)
def test_an_accumulator_with_two_axes_is_no_line(start: str, value: str) -> None:
    words = explain("wrong-axis", ACCUMULATED.format(start=start, value=value))

    assert "along axis 1 of `acc`, within its rows, instead of axis 0." in words
    assert "one axis only" not in words


def test_one_axis_is_claimed_only_of_a_proven_line() -> None:
    row = explain("wrong-axis", f"{TILE}line = tl.load(v_ptr + cols)\ns = tl.sum(line, axis=0)")
    unknown = explain("wrong-axis", f"{TILE}line = helper(x)\ns = tl.sum(line, axis=0)")

    assert "instead of axis 0. This tile has one axis only." in row
    assert "one axis only" not in unknown


LOOP = """
best = -float("inf")
index = 0
for first in range(0, n_cols, N):
    block = tl.max(tl.load(x_ptr + first + tl.arange(0, N)), axis=0)
    {read}best = tl.maximum(best, block)
tl.store(out_ptr, best)
"""


@pytest.mark.parametrize(
    ("read", "effect"),
    [
        ("", "Each iteration replaces `best`, so after the loop it holds only the last block."),
        (
            "index = tl.where(block > best, first, index)\n    ",
            "`best` holds only the previous block, so each iteration goes on from that one",
        ),
    ],
)
def test_a_lost_accumulator_is_explained_by_its_reads_in_the_loop(read: str, effect: str) -> None:
    assert effect in explain("overwritten-accumulator", LOOP.format(read=read), "best = ")


def test_a_change_of_the_accumulator_is_no_block() -> None:
    body = (
        "mean = 0.0\nfor i in range(n_cols):\n    d = tl.load(x_ptr + i) - mean\n    mean += d / 2"
    )

    assert "replaces `mean` by the change" in explain("overwritten-accumulator", body)


# --- wrong-other and unmasked-reduction ---------------------------------------------------
def test_exponentials_are_named_only_if_the_loaded_values_reach_them() -> None:
    load = 'x = tl.load(x_ptr + cols, mask=cols < n_cols, other=-float("inf"))\nm = tl.max(x, 0)\n'
    softmax = f"cols = tl.arange(0, N)\n{load}s = tl.sum(tl.exp(x - m), axis=0)"
    other = f"cols = tl.arange(0, N)\n{load}s = tl.sum(tl.exp(cols * 1.0), axis=0)"

    assert "Their exponentials are added to the sum" in explain("wrong-other", softmax)
    assert "exponentials" not in explain("wrong-other", other)


@pytest.mark.parametrize(
    ("use", "effect"),
    [
        ("s = tl.sum(x, axis=0)", "They hold -inf, and so is the sum."),
        (
            "v = tl.load(v_ptr + cols, mask=mask, other=0.0)\ns = tl.sum(x * v, axis=0)",
            "-inf times the 0 in these lanes of `v` is NaN",
        ),
        ("s = tl.sum(x * unknown, axis=0)", "They hold -inf instead of `0.0`."),
    ],
)
def test_infinite_lanes_are_explained_by_what_they_meet(use: str, effect: str) -> None:
    assert effect in explain("wrong-other", ROW + use, "x = ")


def test_a_lost_mask_names_the_reduction_that_gets_the_lanes() -> None:
    body = f"{ROW}loss = tl.where(mask, tl.sqrt(x * x + 1e-2), 0.0)\nacc = loss * 1.0\n"

    words = explain("unmasked-reduction", f"{body}tl.store(out_ptr, tl.sum(acc, axis=0))")

    assert "and `tl.sum(acc, axis=0)` includes them." in words
    assert "which does not change its result." in words


# --- repeated-block, transposed-load and wrong-program-axis -------------------------------
def test_a_dropped_offset_of_lanes_repeats_one_element() -> None:
    body = "half = tl.arange(0, N)\nfor k in range(0, n_cols, N):\n    x = tl.load({address})"
    tile = body.format(address="x_ptr + (k + half)[None, :] * stride")
    step = body.format(address="x_ptr + half + k * stride")

    assert "so all lanes along that axis take the same element." in explain(
        "repeated-block", tile, "x_ptr)"
    )
    assert "lanes" not in explain("repeated-block", step)


@pytest.mark.parametrize(
    ("sizes", "effect"),
    [
        ("M=32, N=64", "It has the shape [N, M] instead of [M, N], so it cannot be combined"),
        ("M=size, N=size", "lane (j, i). The mask `mask` is not transposed with it"),
        ("M=pick(), N=64", "so the tile is transposed.\n"),
    ],
)
def test_literal_sizes_decide_the_effect_of_a_transposed_tile(sizes: str, effect: str) -> None:
    launch = f"def run(x):\n    size = 64\n    kernel[grid](x, {sizes})\n"

    assert effect in explain("transposed-load", TILE, after=launch)


def test_a_pointer_without_views_is_not_transposed() -> None:
    load = "x = tl.load(x_ptrs, mask=(rows[:, None] < n_rows) & (cols[None, :] < n_cols))"
    body = f"rows = tl.arange(0, M)\ncols = tl.arange(0, N)\n{load}"

    assert "Only the mask is transposed" in explain("transposed-load", body)


def test_tiles_on_the_diagonal_are_named_only_if_no_axis_splits_the_loop() -> None:
    split = f"{TILE}for k in range(tl.program_id(2) * M, n_cols, M):\n    x += k"
    words = explain("wrong-program-axis", split, "cols = ")

    assert "only tiles on the diagonal" in explain("wrong-program-axis", TILE)
    assert "diagonal" not in words
    assert "Programs that differ only along axis 1 do the same work" in words


# --- missing-maximum ----------------------------------------------------------------------
@pytest.mark.parametrize(
    "after", ["s = tl.exp(-high) + tl.sum(y, axis=0)", "s = high + tl.log(tl.sum(y, axis=0))"]
)
def test_a_maximum_that_is_used_again_is_no_overflow(after: str) -> None:
    plain = "high = tl.max(x, axis=0)\ny = tl.exp(x - high)"

    assert "`high` is used again" in explain("missing-maximum", f"{ROW}{plain}\n{after}")
    assert "large inputs overflow" in explain("missing-maximum", ROW + plain)


def test_only_a_maximum_of_elements_counts_as_one() -> None:
    source = ParsedText(
        "@triton.jit\ndef kernel(x, target):\n"
        "    y = tl.maximum(x, 0.0)\n"
        "    return y - y * target + tl.log(1.0 + tl.exp(-y)) - y\n"
    )

    assert not [*KINDS["missing-maximum"].faults(source)]


# --- half-mask and overlapping-blocks -----------------------------------------------------
def test_a_half_mask_says_whether_it_guards_a_load_or_a_store() -> None:
    load = "x = tl.load(x_ptr + i * stride + j, mask=(i < n_rows) & (j < n_cols))"
    store = "tl.store(out_ptr + i * stride + j, 0.0, mask=(i < n_rows) & (j < n_cols))"
    named = "mask = (i < n_rows) & (j < n_cols)"

    words = [explain("half-mask", body) for body in (load, store, named)]

    for act, text in zip(("read", "write", "read or write"), words, strict=True):
        assert f"lanes where `j < n_cols` is false {act} past the edge" in text


def test_the_head_of_a_loop_is_quoted_whole() -> None:
    loop = (
        "for first in range(tl.program_id(0) * N, n_cols, tl.num_programs(\n    0\n) * N):\n    f()"
    )

    words = explain("overlapping-blocks", loop)

    assert "`for first in range(tl.program_id(0), n_cols, tl.num_programs(0) * N):`" in words


# --- swapped-arguments and short-loop -----------------------------------------------------
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("x, out, n", ["k[grid](out, x, n)"]),
        ("x, y, out, n", ["k[grid](x, out, y, n)"]),
    ],
    ids=["an input and an output", "two inputs stay in their order"],
)
def test_only_an_input_and_an_output_are_swapped(arguments: str, shown: list[str]) -> None:
    names = ", ".join(name if name == "n" else f"{name}_ptr" for name in arguments.split(", "))
    text = (
        f"@triton.jit\ndef k({names}):\n    out_ptrs = out_ptr + tl.load(x_ptr)\n"
        "    tl.store(out_ptrs + n, 0.0)\n\n\n"
        f"def run(x, y, out, n):\n    k[grid]({arguments})\n"
    )

    faults = [*KINDS["swapped-arguments"].faults(ParsedText(text))]

    assert [fault.shown for fault in faults] == shown
    wrong = arguments.split(", ")[-3]
    assert f"so it writes into `{wrong}` instead of `out`" in KINDS["swapped-arguments"].explain(
        faults[0]
    )


def test_a_loop_over_the_blocks_of_a_program_loses_more_than_the_last_one() -> None:
    plain = "for first in range(0, n_cols, N):\n    f()"
    strided = "for first in range(0, n_cols, N * M):\n    f()"

    assert "before the last, incomplete block" in explain("short-loop", plain)
    assert "so elements at the end are left out" in explain("short-loop", strided)
