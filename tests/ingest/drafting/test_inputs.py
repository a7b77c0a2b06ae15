"""How a test's own inputs become `make_inputs` and its parameters CASES."""

from __future__ import annotations

from ingest.drafting import Missing
from tests.ingest.drafting.repositories import (
    DOUBLING,
    HEAD,
    cases,
    function,
    only,
    outcomes_of,
    whole,
)

COMPARED = "    assert torch.allclose(doubled(x), x + x)\n"


def test_cases_take_shapes_and_dtypes_from_the_parametrize_decorators() -> None:
    draft = whole(
        """
        SIZES = [(16, 16), (3, 37)]

        @pytest.mark.parametrize("rows, cols", SIZES)
        @pytest.mark.parametrize("dtype", [torch.float32, pytest.param(torch.half)])
        def test_doubled(rows, cols, dtype):
            x = torch.randn(rows, cols, dtype=dtype, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    shown = cases(draft.texts.test_code)
    assert {case["dtype"] for case in shown} == {"float32", "float16"}
    assert (3, 37) in {(case["rows"], case["cols"]) for case in shown}
    made = function(draft.texts.test_code, "make_inputs")
    assert "dtype = getattr(torch, case['dtype'])" in made
    assert "with torch.device(device)" in made
    assert "device='cuda'" not in made


def test_a_list_built_by_a_function_is_evaluated() -> None:
    draft = whole(
        """
        def sizes():
            found = [2**k for k in range(4, 6)]
            found += [37]
            return found

        @pytest.mark.parametrize("n", sizes())
        def test_doubled(n):
            x = torch.randn(n, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert {case["n"] for case in cases(draft.texts.test_code)} == {16, 32, 37}


def test_a_size_tested_only_at_powers_of_two_stays_fixed() -> None:
    powers = whole(
        """
        @pytest.mark.parametrize("n", [16, 64])
        def test_doubled(n):
            x = torch.randn(n, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )
    odd = whole(
        """
        @pytest.mark.parametrize("n", [16, 61])
        def test_doubled(n):
            x = torch.randn(n, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert 'FIXED = {"n"}' in powers.texts.test_code
    assert "FIXED" not in odd.texts.test_code


def test_a_shape_without_sizes_fixes_no_other_shape() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("shape", [(), (64, 61)])
        def test_doubled(shape):
            x = torch.randn(shape, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert "FIXED" not in draft.texts.test_code


def test_parameters_that_the_test_skips_become_no_cases() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("n", [7, 16, 64])
        def test_doubled(n):
            if n % 16 != 0:
                pytest.skip("odd")
            x = torch.randn(n, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert [case["n"] for case in cases(draft.texts.test_code)] == [16, 64]


def test_a_call_at_the_end_of_a_script_gives_the_case_values() -> None:
    draft = whole(
        """
        def test_doubled(rows, device=device):
            x = torch.randn(rows, 8, device=device)
            assert torch.allclose(doubled(x), x + x)

        test_doubled(24)
        """
    )

    assert [case["rows"] for case in cases(draft.texts.test_code)] == [24]


def test_a_colliding_helper_of_the_inputs_is_renamed() -> None:
    draft = whole(
        """
        def make_inputs(size):
            return torch.randn(size, device="cuda")

        @pytest.mark.parametrize("size", [16, 32])
        def test_doubled(size):
            x = make_inputs(size)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert "x = authors_make_inputs(size)" in function(draft.texts.test_code, "make_inputs")
    assert "return torch.randn(size)" in draft.texts.test_code


def test_random_numbers_of_one_side_are_drawn_for_both() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            noise = torch.rand(64, device=device)
            assert torch.allclose(doubled(x) , (x + x) + 0 * noise)
        """
    )

    assert "def doubling(x, noise)" in draft.texts.python_code
    assert "def doubling(x, noise)" in draft.texts.triton_code
    assert "rand" not in function(draft.texts.python_code, "doubling")


def test_an_unknown_parameter_value_gives_a_reason_instead_of_a_draft() -> None:
    outcome = only(
        """
        def test_doubled(prepared):
            x = prepared * torch.ones(16, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert outcome.missing is Missing.INPUTS
    assert "prepared" in outcome.sentence


def test_a_tensor_made_in_one_branch_is_an_input_of_every_case() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("wide", [False, True])
        def test_doubled(wide):
            x = torch.randn(64, device=device)
            if wide:
                extra = torch.randn(64, device=device)
            ours = doubled(x)
            theirs = x + x
            if wide:
                theirs = theirs + 0 * extra
            assert torch.allclose(ours, theirs)
        """
    )

    assert "        extra = torch.randn(64)\n" in draft.texts.test_code


def test_a_drafted_test_starts_with_its_imports_despite_future_imports() -> None:
    test = (
        "from __future__ import annotations\n"
        + HEAD
        + ("def test_doubled():\n    x = torch.randn(64)\n" + COMPARED)
    )
    tree = {"ops/__init__.py": "", "ops/doubling.py": DOUBLING, "tests/test_doubling.py": test}
    (outcome,) = outcomes_of(tree)

    assert outcome.draft is not None
    assert outcome.draft.texts.test_code.startswith("from python_code import doubling")
    compile(outcome.draft.texts.test_code, "test_code.py", "exec")


def test_a_module_among_the_inputs_is_named() -> None:
    outcome = only(
        """
        def test_doubled():
            layer = torch.nn.Linear(8, 8)
            x = torch.randn(64, 8, device=device)
            actual = doubled(layer.weight)
            assert torch.allclose(actual, layer.weight + layer.weight)
        """
    )

    assert outcome.missing is Missing.INPUTS
    assert "would hold a module (layer)" in outcome.sentence


def test_the_inputs_whose_gradients_are_compared_are_marked() -> None:
    draft = whole(
        """
        def turning(n):
            angle = torch.rand(n)
            return torch.cos(angle), torch.sin(angle)

        def test_doubled():
            x = torch.randn(64, device=device, requires_grad=True)
            y = x.detach().clone().requires_grad_()
            cos, sin = turning(64)
            expected, actual = 2 * x * (cos * 0 + 1), Doubling.apply(y) * (cos * 0 + 1)
            torch.testing.assert_close(actual, expected)
            actual.sum().backward()
            torch.testing.assert_close(y.grad, x.grad)
        """
    )

    assert draft.differentiable
    assert "\n    x.requires_grad_()\n    return (" in draft.texts.test_code
    assert draft.texts.test_code.count("requires_grad_") == 1


def test_memory_addresses_among_the_inputs_give_a_reason() -> None:
    outcome = only(
        """
        def test_doubled():
            parts = [torch.randn(4, device=device) for _ in range(4)]
            x = torch.tensor([part.data_ptr() for part in parts], device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert outcome.missing is Missing.INPUTS
    assert "addresses" in outcome.sentence


def test_an_imported_input_helper_uses_the_device_and_seed_of_the_case() -> None:
    draft = whole(
        """
        from tests.making import made

        @pytest.mark.parametrize("n", [16, 61])
        def test_doubled(n):
            x, at = made(n)
            assert torch.allclose(doubled(x), x + x)
        """,
        tests____init__="",
        tests__making="""
import torch

def made(n, seed=3, there="cuda"):
    torch.manual_seed(seed)
    device = "cuda"
    at = torch.randint(0, n, (n,), device="cuda")
    return torch.randn(n, device=device).to(there), at
""",
    )

    assert function(draft.texts.test_code, "made") == (
        "def made(n, seed=3, there=None):\n"
        "    device = torch.get_default_device()\n"
        "    at = torch.randint(0, n, (n,))\n"
        "    return (torch.randn(n, device=device).to(there), at)"
    )
    assert "torch.manual_seed(case['seed'])" in function(draft.texts.test_code, "make_inputs")


def test_seeding_is_removed_from_input_helpers() -> None:
    draft = whole(
        """
        def seeded():
            torch.manual_seed(0)
            torch.cuda.manual_seed(0)

        def made(n):
            seeded()
            if n:
                torch.manual_seed(1); torch.cuda.manual_seed_all(1)
            return torch.randn(n, device=device)

        @pytest.mark.parametrize("n", [16, 61])
        def test_doubled(n):
            x = made(n)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert function(draft.texts.test_code, "seeded") == ("def seeded():\n    pass\n    pass")
    assert "seed" not in function(draft.texts.test_code, "made").replace("seeded()", "")


def test_a_clone_of_a_tensor_changed_later_stays_an_input() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            y = x.clone()
            x[3] = 0
            z = torch.sigmoid(x) + torch.sigmoid(y)
            assert torch.allclose(doubled(y) + 0 * z, y + y + 0 * x)
        """
    )

    assert "def doubling(y, z, x):" in draft.texts.triton_code


def test_names_in_an_imported_constant_are_those_of_its_own_file() -> None:
    draft = whole(
        """
        from shared.sizes import SIZES

        SMALL = "another"

        @pytest.mark.parametrize("n", SIZES)
        def test_doubled(n):
            x = torch.randn(n, device=device)
            assert torch.allclose(doubled(x), x + x)
        """,
        shared__sizes="SMALL = 16\nSIZES = [SMALL, 61]\n",
    )

    assert {case["n"] for case in cases(draft.texts.test_code)} == {16, 61}


def test_a_list_that_loses_an_item_is_changed() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("shape", [(4, 8, 2)])
        def test_doubled(shape):
            inner = list(shape)
            del inner[0]
            x = torch.randn(inner, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert "del inner[0]" in draft.texts.test_code


def test_inputs_that_move_from_the_host_are_made_on_the_device() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("n", [16, 61])
        def test_doubled(n):
            lengths = torch.tensor([n], device="cpu")
            x = torch.unique(torch.randn(n, device="cpu").cpu())[1:].to(device)
            assert torch.allclose(doubled(x) * lengths.item(), (x + x) * lengths.item())
        """
    )

    made = function(draft.texts.test_code, "make_inputs")
    assert "x = torch.unique(torch.randn(n))[1:]\n" in made
    assert "lengths = torch.tensor([n])\n" in made


def test_a_helper_that_is_told_its_device_by_position_is_told_that_of_the_case() -> None:
    draft = whole(
        """
        DEV = "cuda"

        def made(n, where):
            return torch.randn(n, device=where)

        @pytest.mark.parametrize("n", [16, 61])
        def test_doubled(n):
            x = made(n, DEV)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert "x = made(n, device)\n" in function(draft.texts.test_code, "make_inputs")


def test_infinity_in_a_case_has_no_literal() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("low", [(1.0, -float("inf")), (float("inf"), 0.0)])
        def test_doubled(low):
            x = torch.randn(64, device=device).clamp(min=min(low))
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert """'low': (1.0, float("-inf"))""" in draft.texts.test_code


def test_complex_dtypes_make_no_cases() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("dtype", [torch.cfloat, torch.float16, torch.complex64])
        def test_doubled(dtype):
            x = torch.randn(64, device=device, dtype=dtype)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert {case["dtype"] for case in cases(draft.texts.test_code)} == {"float16"}


def test_a_test_of_empty_tensors_makes_way_for_one_of_larger_tensors() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("shape", [(0,), (0, 3)])
        def test_doubled_empty(shape):
            x = torch.randn(shape, device=device)
            assert torch.allclose(doubled(x), x + x)

        @pytest.mark.parametrize("shape", [(64,), (3, 37)])
        def test_doubled(shape):
            x = torch.randn(shape, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert {case["shape"] for case in cases(draft.texts.test_code)} == {(64,), (3, 37)}
