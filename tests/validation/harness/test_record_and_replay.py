"""The program that a launcher's recording gives computes the right answer on the true inputs.

Each test checks a whole entry, in a recorder and a replayer of its own.
"""

from dataclasses import replace

import pytest

from tests.validation.harness.whole_entries import grades, report, whole_entry
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Verdict
from validation.harness.schedule import reports

pytestmark = pytest.mark.slow

WITH_LENGTHS = '(x, torch.tensor([1 + case["seed"], 2], device=device))'
EIGHT = WITH_LENGTHS.replace("x,", "torch.randn(8, generator=generator).to(device),")


def test_a_final_torch_sum_is_replayed_and_named(pool: WorkerPool) -> None:
    made = report(pool, "(2 * x).sum()", "scaled(x, 2.0).sum()")

    assert made.verdict is Verdict.PASSED, made.message
    assert (grades(made)["computed_by"], grades(made)["torch_operations"]) == ("mixed", ["sum"])
    assert 0 < grades(made)["torch_share"] <= 0.5


def test_a_torch_matrix_product_is_not_replayed(pool: WorkerPool) -> None:
    made = report(
        pool,
        "torch.outer(2 * x, x)",
        "def entry(x):\n    y = scaled(x, 2.0)\n    return y[:, None] @ x[None, :]\n",
    )

    assert made.verdict is Verdict.NOT_TRITON
    assert "mm" in made.message


def test_an_answer_that_needs_no_kernel_is_not_triton(pool: WorkerPool) -> None:
    made = report(pool, "2 * x", "def entry(x):\n    scaled(x, 2.0)\n    return x + x\n")

    assert made.verdict is Verdict.NOT_TRITON
    assert "do nothing" in made.message


def test_an_answer_that_is_true_everywhere_comes_from_the_kernel(pool: WorkerPool) -> None:
    made = report(
        pool,
        "x > -100.0",
        "@triton.jit\n"
        "def above_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
        "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    mask = offsets < n\n"
        "    x = tl.load(x_ptr + offsets, mask=mask)\n"
        "    tl.store(out_ptr + offsets, x > -100.0, mask=mask)\n\n\n"
        "def entry(x):\n"
        "    out = torch.empty(x.shape, dtype=torch.bool, device=x.device)\n"
        "    above_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)\n"
        "    return out\n",
    )

    assert made.verdict is not Verdict.NOT_TRITON, made.message


def test_a_replayed_length_is_read_from_the_true_inputs(pool: WorkerPool) -> None:
    made = report(
        pool, "x[: int(lengths.max())] * 3", "scaled(x[: int(lengths.max().item())], 3.0)", EIGHT
    )

    assert made.verdict is Verdict.PASSED, made.message
    assert grades(made)["torch_operations"] == ["max"]


def test_a_replayed_list_of_lengths_is_read_from_the_true_inputs(pool: WorkerPool) -> None:
    made = report(
        pool, "x[: sum(lengths.tolist())] * 3", "scaled(x[: sum(lengths.tolist())], 3.0)", EIGHT
    )

    assert made.verdict is Verdict.PASSED, made.message
    assert grades(made)["computed_by"] == "triton"


def test_arithmetic_on_a_number_read_from_a_tensor_counts_as_computing(pool: WorkerPool) -> None:
    made = report(pool, "x / lengths[0]", "scaled(x, 1.0 / lengths[0].item())", WITH_LENGTHS)

    assert made.verdict is Verdict.PASSED, made.message
    assert grades(made)["torch_operations"] == ["a number that it reads"]


def test_a_table_computed_in_an_earlier_call_is_recomputed_in_the_replay(pool: WorkerPool) -> None:
    made = report(
        pool,
        "x * 6",
        "_table = []\n\n\ndef entry(x):\n"
        "    if not _table:\n"
        "        _table.append(scaled(torch.ones(1, device=x.device), 6.0))\n"
        "    return product(x, _table[0])\n\n\n"
        "def product(x, factor):\n"
        "    out = torch.empty_like(x)\n"
        "    product_kernel[(triton.cdiv(x.numel(), 64),)](x, factor, out, x.numel(), BLOCK=64)\n"
        "    return out\n\n\n"
        "@triton.jit\n"
        "def product_kernel(x_ptr, factor_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
        "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    x = tl.load(x_ptr + offsets, mask=offsets < n)\n"
        "    tl.store(out_ptr + offsets, x * tl.load(factor_ptr), mask=offsets < n)\n",
    )

    assert made.verdict is Verdict.PASSED, made.message


def test_a_kept_table_may_be_returned_by_each_call(pool: WorkerPool) -> None:
    made = report(
        pool,
        "(2 * x, torch.arange(x.numel(), device=x.device))",
        "_tables = {}\n\n\ndef entry(x):\n"
        "    n = x.numel()\n"
        "    table = _tables.setdefault(n, torch.arange(n, device=x.device))\n"
        "    return scaled(x.contiguous(), 2.0), table\n",
    )

    assert made.verdict is Verdict.PASSED, made.message


def test_an_argument_that_the_function_writes_to_is_compared(pool: WorkerPool) -> None:
    in_place = "def entry(x):\n    x.mul_({})\n"
    right = report(pool, in_place.format(2), "def entry(x):\n    scaled(x, 2.0, x)\n")
    wrong = report(pool, in_place.format(3), "def entry(x):\n    scaled(x, 2.0, x)\n")

    assert right.verdict is Verdict.PASSED, right.message
    assert wrong.verdict is Verdict.FAILED


def test_a_launcher_that_uses_torch_only_in_its_test_is_detected(pool: WorkerPool) -> None:
    made = report(
        pool,
        "x * 2",
        "import sys\n\n\ndef entry(x):\n"
        '    return x * 2 if "test_code" in sys.modules else scaled(x, 2.0)\n',
    )

    assert made.verdict is Verdict.NOT_TRITON
    assert "in its own test" in made.message


SCALES = (
    "@triton.jit\n"
    "def scale_of_rows_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
    "    row, offsets = tl.program_id(0), tl.arange(0, BLOCK)\n"
    "    x = tl.load(x_ptr + row * n + offsets, mask=offsets < n, other=0.0)\n"
    "    exponent = tl.ceil(tl.log2(tl.max(tl.abs(x), axis=0)))\n"
    "    tl.store(out_ptr + row, (exponent + 127).to(tl.uint8))\n\n\n"
    "def entry(x):\n"
    "    out = torch.empty(x.shape[0], device=x.device, dtype=torch.float8_e8m0fnu)\n"
    "    grid = (x.shape[0],)\n"
    "    block = triton.next_power_of_2(x.shape[1])\n"
    "    scale_of_rows_kernel[grid](x, out.view(torch.uint8), x.shape[1], BLOCK=block)\n"
    "    return out\n"
)


@pytest.mark.parametrize(("largest", "verdict"), [("amax", "passed"), ("amin", "failed")])
def test_block_scales_in_float8_e8m0_are_compared(
    pool: WorkerPool, largest: str, verdict: str
) -> None:
    made = report(
        pool,
        "def entry(x):\n"
        f"    scale = torch.exp2(torch.ceil(torch.log2(x.abs().{largest}(-1))))\n"
        "    return scale.to(torch.float8_e8m0fnu)\n",
        SCALES,
        '(torch.exp(4 * torch.randn(4, case["n"], generator=generator)).to(device),)',
    )

    assert made.verdict == verdict, made.message


def test_block_scales_in_float8_e8m0_can_be_inputs(pool: WorkerPool) -> None:
    made = report(
        pool,
        "def entry(x, scale):\n    return x * scale.float()\n",
        "@triton.jit\n"
        "def apply_kernel(x_ptr, scale_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
        "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    scale = (tl.load(scale_ptr).to(tl.uint32) << 23).to(tl.float32, bitcast=True)\n"
        "    x = tl.load(x_ptr + offsets, mask=offsets < n)\n"
        "    tl.store(out_ptr + offsets, x * scale, mask=offsets < n)\n\n\n"
        "def entry(x, scale):\n"
        "    out = torch.empty_like(x)\n"
        "    grid = (triton.cdiv(x.numel(), 64),)\n"
        "    apply_kernel[grid](x, scale.view(torch.uint8), out, x.numel(), BLOCK=64)\n"
        "    return out\n",
        "(x, torch.tensor([4.0], device=device).to(torch.float8_e8m0fnu))",
    )

    assert made.verdict is Verdict.PASSED, made.message


GATED = """\
class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gate):
        ctx.factor = float(GATE)
        return scaled(x.contiguous(), ctx.factor)

    @staticmethod
    def backward(ctx, gradient):
        return scaled(gradient.contiguous(), ctx.factor), None


def entry(x, gate):
    return Gated.apply(x, gate)
"""


@pytest.mark.parametrize(
    ("gate", "verdict"), [("torch.full((1,), 3.0)", "passed"),
                          ("torch.full((1,), 3.0).requires_grad_()", "failed")],
)  # fmt: skip
def test_only_gradients_of_inputs_that_require_them_are_compared(
    pool: WorkerPool, gate: str, verdict: str
) -> None:
    made = report(
        pool,
        "def entry(x, gate):\n    return x * 3 + 0 * gate\n",
        GATED.replace("GATE", "3"),
        f"(x.requires_grad_(), {gate})",
        differentiable=True,
    )

    (check,) = (one for one in made.checks if one.name == "gradients")
    assert check.verdict == verdict, check.words


@pytest.mark.parametrize(
    ("backward", "origin", "verdict"),
    [
        ("gradient.contiguous()", "manual", Verdict.PASSED),
        ("gradient", "manual", Verdict.FAILED),
        ("gradient", "real-world", Verdict.PASSED),
    ],
)
def test_a_backward_pass_gets_an_expanded_gradient(
    pool: WorkerPool, backward: str, origin: str, verdict: Verdict
) -> None:
    triton = GATED.replace("GATE", "3").replace("gradient.contiguous()", backward)
    # An empty tensor like an expanded one would be expanded too.
    triton = triton.replace(f"scaled({backward}", f"scaled({backward}, OUT", 1)
    triton = triton.replace("OUT, ctx.factor", "ctx.factor, torch.empty(gradient.shape)")

    made = report(
        pool,
        "def entry(x, gate):\n    return x * 3 + 0 * gate\n",
        triton,
        "(x.requires_grad_(), torch.full((1,), 3.0))",
        differentiable=True,
        origin=origin,
    )

    (check,) = (one for one in made.checks if one.name == "variations")
    assert check.verdict is verdict, check.words
    assert ("expanded gradients" in check.words) is (backward == "gradient"), check.words


TUNED = """\
tuned_kernel = triton.autotune(
    [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"]
)(scale_kernel)


def tuned(x, factor):
    assert torch.cuda.get_device_properties(x.device).multi_processor_count
    out = torch.empty_like(x)
    tuned_kernel[lambda META: (triton.cdiv(x.numel(), META["BLOCK"]),)](x, out, x.numel(), factor)
    return out


"""


def test_a_backward_that_is_tuned_runs_in_its_own_test_without_a_gpu(pool: WorkerPool) -> None:
    backward = GATED.replace("GATE", "3").replace("return scaled(gradient", "return tuned(gradient")

    entry = whole_entry(
        "def entry(x, gate):\n    return x * 3 + 0 * gate\n",
        TUNED + backward,
        "(x.requires_grad_(), torch.full((1,), 3.0))",
        differentiable=True,
    )
    test = entry.test_code.replace(
        "return inputs if answer is None else answer",
        "answer.backward(torch.ones_like(answer))\n    return answer, inputs[0].grad",
    )

    (made,) = reports([replace(entry, test_code=test)], pool)

    assert made.verdict is Verdict.PASSED, [(one.name, one.words) for one in made.checks]
