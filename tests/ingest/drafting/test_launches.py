"""What a launcher does beside computing: it answers in its input, or asks for another's options."""

from __future__ import annotations

from typing import Any

import pytest

from ingest import drafting
from ingest.drafting import OperationDraft
from ingest.extract import MemoryTree
from tests.ingest.drafting.repositories import DOUBLING, drafted, function, whole

IN_PLACE = (
    DOUBLING
    + """

def doubled_(x):
    doubling_kernel[(triton.cdiv(x.numel(), 16),)](x, x, x.numel(), BLOCK=16)
    return x
"""
)


def in_place(test: str, launchers: str = IN_PLACE) -> OperationDraft:
    (found,) = [one.draft for one in drafted(test, ops__doubling=launchers) if not one.missing]
    assert found is not None
    return found


def test_an_input_that_a_launcher_writes_to_is_cloned() -> None:
    called = """
        from ops.doubling import doubled_

        def test_doubled():
            x = torch.randn(64, device=device)
            y = torch.randn(64, device=device)
            {call}
            assert torch.allclose(actual, x + x + y)
        """

    by_name = in_place(called.format(call="actual = doubled_(x) + y"))
    by_alias = in_place(called.format(call="f = doubled_ if True else None; actual = f(x) + y"))

    for draft in (by_name, by_alias):
        launching = function(draft.texts.triton_code, draft.entry_point)
        assert "x = x.clone()" in launching
        assert "y.clone()" not in launching
        assert "clone" not in draft.texts.python_code


def test_an_output_argument_compared_after_the_launch_is_cloned() -> None:
    draft = in_place(
        """
        from ops.doubling import into

        def test_doubled():
            x = torch.randn(64, device=device)
            out = torch.zeros(64, device=device)
            expected = x + x + out
            into(out, x)
            assert torch.allclose(out, expected)
        """,
        DOUBLING.replace("def doubled(x, scale=1)", "def into(out, x)")
        .replace("out = torch.empty_like(x)", "")
        .replace("return out", "")
        .replace("doubled(", "into(0, ")
        + "\n\ndef doubled(x):\n    return x + x\n",
    )

    launching = function(draft.texts.triton_code, draft.entry_point)
    assert "out = out.clone()\n    into(out, x)\n    return out" in launching
    assert "x.clone()" not in launching


def test_an_input_that_a_launcher_updates_besides_its_answer_is_cloned() -> None:
    draft = in_place(
        """
        from ops.doubling import updating

        def test_doubled():
            x = torch.randn(64, device=device)
            state = torch.zeros(64, device=device)
            state_ref = state.clone()
            out = updating(state, x)
            state_ref.add_(x)
            assert torch.allclose(state, state_ref)
            assert torch.allclose(out, x + x)
        """,
        DOUBLING.replace(
            "def doubled(x, scale=1):", "def updating(state, x):\n    state += x"
        ).replace("doubled(", "updating(0, ")
        + "\n\ndef doubled(x):\n    return x + x\n",
    )

    launching = function(draft.texts.triton_code, draft.entry_point)
    assert "state = state.clone()\n" in launching
    assert "x.clone()" not in launching


def test_an_autotune_key_contains_only_kernel_parameters() -> None:
    tuned = DOUBLING.replace(
        "@triton.jit",
        "@triton.autotune(configs=[triton.Config({'BLOCK': 16})], key=['n', 'BT'])\n@triton.jit",
    )

    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), x + x)
        """,
        ops__doubling=tuned,
    )

    assert "key=['n'])" in draft.texts.triton_code


def test_a_device_named_in_a_reference_becomes_the_available_device() -> None:
    draft = whole(
        """
        def naive(x, there="cuda"):
            here = "cuda"
            return (x + x).to(there).to(here)

        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), naive(x))
        """
    )

    torch = pytest.importorskip("torch")
    module: dict[str, Any] = {}
    exec(draft.texts.python_code, module)  # noqa: S102 - our own text
    ones = torch.ones(3, device=module["DEVICE"])
    assert torch.equal(module[draft.entry_point](ones), ones + ones)


INNER = DOUBLING.replace(
    "class Doubling",
    """
@triton.jit
def adding_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n)
    tl.store(y_ptr + at, y, mask=at < n)


def added(x, y):
    out = y.clone()
    adding_kernel[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), BLOCK=16)
    return out


class Doubling""",
).replace("return doubled(x)", "return added(doubled(x), x)")


def test_launch_options_of_other_backends_are_removed() -> None:
    launching = DOUBLING.replace(
        "BLOCK=16)", "BLOCK=16, num_warps=4,\n        waves_per_eu=0, kpack=2)"
    ).replace(
        "@triton.jit",
        "WAVES = [triton.Config({'BLOCK': 16, 'waves_per_eu': 2}, num_warps=1)]\n\n\n"
        "@triton.autotune(WAVES, key=['n'])\n@triton.jit",
    )

    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), x + x)
        """,
        ops__doubling=launching,
    )

    assert "waves_per_eu" not in draft.texts.triton_code
    assert "kpack" not in draft.texts.triton_code
    assert "BLOCK=16, num_warps=4)" in draft.texts.triton_code
    assert "triton.Config({'BLOCK': 16}, num_warps=1)" in draft.texts.triton_code


def test_a_host_function_that_a_test_calls_on_its_own_is_an_operation() -> None:
    outcomes = drafted(
        """
        from ops.doubling import added

        def test_tripled():
            x = torch.randn(64, device=device)
            assert torch.allclose(Doubling.apply(x), 3 * x)

        def test_added():
            x, y = torch.randn(64, device=device), torch.randn(64, device=device)
            assert torch.allclose(added(x, y), x + y)
        """,
        ops__doubling=INNER,
    )

    names = {one.operation.name: one for one in outcomes}
    assert names.keys() == {"Doubling", "added"}
    assert all(one.missing is None for one in outcomes)
    assert [kernel.qualname for kernel in names["added"].operation.kernels] == ["adding_kernel"]
    draft = names["added"].draft
    assert draft is not None
    assert "class Doubling" not in draft.texts.triton_code


def test_a_function_with_the_name_of_its_module_is_reached_through_the_package() -> None:
    test = (
        "import torch\nimport ops\n\n\ndef test_doubling():\n    x = torch.randn(64)\n"
        "    assert torch.allclose(ops.doubling(x), x + x)\n"
    )
    tree = {
        "ops/__init__.py": "from ops.doubling import doubling\n",
        "ops/doubling.py": DOUBLING.replace("doubled(", "doubling("),
        "tests/test_doubling.py": test,
    }

    (outcome,) = drafting.draft(MemoryTree({path: text.encode() for path, text in tree.items()}))

    assert outcome.missing is None, outcome.sentence


def test_a_copied_input_may_be_a_list_or_none() -> None:
    draft = in_place(
        """
        from ops.doubling import fill

        @pytest.mark.parametrize("given", [True, False])
        def test_fill(given):
            parts = [torch.randn(n, device=device) for n in (16, 61)]
            other = torch.randn(61, device=device) if given else None
            expected = [part + part for part in parts]
            actual = fill(parts, other)
            assert torch.allclose(torch.cat(actual), torch.cat(expected))
        """,
        IN_PLACE
        + """

def fill(parts, other):
    for place in range(len(parts)):
        parts[place] = doubled_(parts[place])
    if other is not None:
        doubled_(other)
    return parts
""",
    )

    launching = function(draft.texts.triton_code, draft.entry_point)
    assert "parts = [tensor.clone() for tensor in parts]" in launching
    assert "other = None if other is None else other.clone()" in launching


def test_statements_of_a_file_may_read_its_device() -> None:
    draft = whole(
        """
        DEVICE = triton.runtime.driver.active.get_active_torch_device()
        PROPERTIES = torch.cuda.get_device_properties(DEVICE.index)

        def launched(x):
            assert PROPERTIES.warp_size == 32
            return doubled(x)

        def test_doubled():
            x = torch.randn(64, device=DEVICE)
            assert torch.allclose(launched(x), 2 * x)
        """
    )

    triton = draft.texts.triton_code
    assert "get_device_properties(torch.cuda.current_device())" in triton
    assert "DEVICE.index" not in triton
