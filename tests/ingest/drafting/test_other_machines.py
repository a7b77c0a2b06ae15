"""How a test for the CPU, or one with inputs that can't travel, becomes a draft or a reason."""

from __future__ import annotations

import ast

import pytest

from ingest.drafting import DraftOutcome, Missing, OperationDraft
from ingest.drafting.isolating.devices import place_on_device, use_devices_of_inputs
from tests.ingest.drafting.repositories import drafted, function, only, whole


def outcome_of(name: str, test: str, **files: str) -> DraftOutcome:
    """Return the outcome of one operation of several."""
    (outcome,) = [each for each in drafted(test, **files) if each.operation.name == name]
    return outcome


def whole_of(name: str, test: str, **files: str) -> OperationDraft:
    outcome = outcome_of(name, test, **files)
    assert outcome.missing is None, outcome.sentence
    assert outcome.draft is not None
    return outcome.draft


ADDED = """
import torch
import triton
import triton.language as tl


@triton.jit
def adding_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 1 + tl.load(x_ptr + at, mask=at < n), mask=at < n)


def added(x, out, device):
    assert x.device.type == device.type
    grid = (triton.cdiv(x.numel(), 16),)
    adding_kernel[grid](x, out, x.numel(), BLOCK=16)
    return out
"""


def test_a_test_for_the_cpu_becomes_a_draft_for_any_device() -> None:
    draft = whole_of(
        "added",
        """
        from ops.adding import added

        def test_added():
            x = torch.rand(98, device=torch.device("cpu"))
            out = torch.empty(98, device="cpu")
            assert torch.allclose(added(x, out, torch.device("cpu")), x + 1)
        """,
        ops__adding=ADDED,
    )

    assert "cpu" not in function(draft.texts.test_code, "make_inputs")
    assert "torch.device" not in draft.texts.triton_code


def test_memory_that_an_author_does_not_fill_has_the_same_values_each_time() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.empty(64, device=device).uniform_()
            index = torch.empty((4, 64), dtype=torch.int64, device=device)
            packed = torch.empty((64,), dtype=torch.int8, device=device)
            assert torch.allclose(doubled(x + index[0] + packed), 2 * (x + index[0] + packed))
        """
    )

    made = function(draft.texts.test_code, "make_inputs")
    assert "torch.empty(64).uniform_()" in made
    assert "index = torch.zeros((4, 64), dtype=torch.int64)" in made
    assert "packed = torch.randint(-128, 128, (64,), dtype=torch.int8)" in made


def test_addresses_in_a_list_are_a_reason() -> None:
    outcome = outcome_of(
        "grouped",
        """
        from ops.grouped import grouped

        def test_grouped():
            x = torch.randn(64, device=device)
            assert torch.allclose(grouped([x]), x + x)
        """,
        ops__grouped="""
import torch
import triton
import triton.language as tl


@triton.jit
def grouped_kernel(addresses, out_ptr, BLOCK: tl.constexpr):
    x_ptr = tl.load(addresses).to(tl.pointer_type(tl.float32))
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at))


def grouped(group):
    out = torch.empty_like(group[0])
    addresses = []
    for x in group:
        addresses.append(x.data_ptr())
    grouped_kernel[(1,)](torch.tensor(addresses, device="cuda"), out, BLOCK=64)
    return out
""",
    )

    assert outcome.missing is Missing.TRITON_NOT_STANDALONE
    assert "addresses" in outcome.sentence


def test_a_reference_that_reads_only_sizes_is_no_reference() -> None:
    outcome = only(
        """
        @pytest.mark.parametrize("n", [16, 37])
        def test_doubled(n):
            x = torch.arange(n, device=device).float()
            expected = 2.0 * torch.arange(n, device=device)
            assert torch.allclose(doubled(x), expected)
        """
    )

    assert outcome.missing is Missing.NO_COMPARISON


def test_answers_of_eight_bit_floats_are_widened_to_be_compared() -> None:
    draft = whole_of(
        "narrowed",
        """
        from ops.narrowing import narrowed

        def test_narrowed():
            x = torch.randn(64, device=device)
            expected = x.to(torch.float8_e4m3fn)
            assert torch.equal(narrowed(x), expected)
        """,
        ops__narrowing="""
import torch
import triton
import triton.language as tl


@triton.jit
def narrowing_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(out_ptr.dtype.element_ty))


def narrowed(x):
    out = torch.empty_like(x, dtype=torch.float8_e4m3fn)
    narrowing_kernel[(1,)](x, out, BLOCK=64)
    return out
""",
    )

    assert "mine, wanted = mine.float(), wanted.float()" in draft.texts.test_code


def test_a_list_to_which_a_side_appends_is_made_by_that_side() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(4, 64, device=device)
            found = []
            for row in range(4):
                found.append(doubled(x[row]))
            found = torch.stack(found)
            assert torch.allclose(found, x + x)
        """
    )

    assert "[]" not in function(draft.texts.test_code, "make_inputs")
    assert " = []" in draft.texts.triton_code


def test_a_kernel_keeps_the_decorators_that_choose_its_arguments() -> None:
    outcome = outcome_of(
        "tuned",
        """
        from ops.tuning import tuned

        def test_tuned():
            x = torch.randn(64, device=device)
            assert torch.allclose(tuned(x), x + x)
        """,
        ops__tuning="""
import torch
import triton
import triton.language as tl

from ops.missing import CONFIGS


@triton.autotune(configs=CONFIGS, key=["n"])
@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


def tuned(x):
    out = torch.empty_like(x)
    tuned_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
    return out
""",
    )

    assert outcome.missing is Missing.TRITON_NOT_STANDALONE
    assert "ops.missing" in outcome.sentence


def test_an_import_in_a_function_that_the_file_has_already_is_no_obstacle() -> None:
    draft = whole(
        """
        from ops.math import twice

        def reference_doubled(x):
            from ops.math import twice

            return twice(x)

        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), reference_doubled(x))
        """,
        ops__math="def twice(x):\n    return x + x\n",
    )

    assert "import" not in draft.texts.python_code
    assert "def twice(x):" in draft.texts.python_code


def test_a_launcher_that_asserts_its_device_accepts_any_of_its_kind() -> None:
    draft = whole(
        """
        DEVICE = triton.runtime.driver.active.get_active_torch_device()

        def checked(x):
            assert x.device == DEVICE and not x.device != DEVICE
            return doubled(x)

        def test_doubled():
            x = torch.randn(64, device=DEVICE)
            assert torch.allclose(checked(x), x + x)
        """
    )

    assert "x.device.type == DEVICE and (not x.device.type != DEVICE)" in ast.unparse(
        ast.parse(draft.texts.triton_code)
    )


def test_a_comparison_that_refuses_two_dtypes_needs_no_conversion() -> None:
    file = """
import torch
import triton
import triton.language as tl


@triton.jit
def lossy_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + at).to(tl.float32)))


def lossy(x):
    out = make_out(x)
    lossy_kernel[(1,)](x, *out, BLOCK=64)
    return out[0]


def make_out(x):
    return [torch.empty((), device=x.device, dtype=torch.float32)]
"""
    test = """
        from ops.losing import lossy

        @pytest.mark.parametrize("dtype", [torch.float16])
        def test_lossy(dtype):
            x = torch.randn(64, device=device, dtype=dtype)
            expected = x.float().sum()
            assert torch.allclose(lossy(x), expected, atol=1e-2)
    """
    draft = whole_of("lossy", test, ops__losing=file)

    assert "to(x.dtype)" not in draft.texts.python_code


def test_a_function_allocates_on_the_device_of_its_input() -> None:
    written = (
        'DEVICE = "cuda"\n\n\ndef reference(scale, x):\n    n = x.shape[0]\n'
        "    mask = torch.ones(n, device=DEVICE).to(DEVICE)\n    return x * mask * scale\n"
        "\n\ndef allocated(n):\n    return torch.ones(n, device=DEVICE)\n"
    )

    made = use_devices_of_inputs(written)

    assert "torch.ones(n, device=x.device).to(x.device)" in made
    assert "return torch.ones(n, device=DEVICE)" in made


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize(
    "line",
    ["y = (x / 2).to('cuda')", "y = (x).cuda()", "y = torch.zeros((2), device='cuda')"],
)
def test_a_device_after_parentheses_leaves_them_closed(line: str, kept: bool) -> None:
    text = f"import torch\nx = torch.ones(2)\n{line}\n"

    changed = place_on_device(text, ast.parse(text), kept=kept)

    assert "cuda" not in ast.unparse(ast.parse(changed))


def test_a_tensor_that_is_made_on_the_cpu_still_moves_to_the_device() -> None:
    text = "import torch\nlengths = torch.LongTensor([3, 5]).int().cuda()\n"

    changed = place_on_device(text, ast.parse(text), kept=False)

    assert "torch.LongTensor([3, 5]).int().to(torch.get_default_device())" in changed
