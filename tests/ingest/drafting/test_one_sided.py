"""A draft has no input that the other inputs tell."""

from __future__ import annotations

import ast

import pytest

from ingest.drafting.one_sided import settle_inputs

CASES = """CASES = [
    {"n": 3, "fast": True, "seed": 0},
    {"n": 4, "fast": True, "seed": 1},
    {"n": 5, "fast": False, "seed": 2},
]
"""


def settled(
    parameters: str, python: str, triton: str, inputs: str, handed: str | None = None
) -> tuple[str, str, str]:
    """Return the bodies of both sides, and the test, after the rules."""

    def side(body: str) -> str:
        return f"def op({parameters}):\n    {body}\n".replace("; ", "\n    ")

    made = "\n        ".join(inputs.split("; "))
    test = (
        f"{CASES}\n\ndef make_inputs(case, device):\n"
        '    n = case["n"]\n    fast = case["fast"]\n'
        f"    with torch.device(device):\n        {made}\n    return ({handed or parameters},)\n"
    )
    texts = settle_inputs(side(python), side(triton), test, "op")
    bodies = [ast.unparse(ast.Module(ast.parse(each).body[0].body, [])) for each in texts[:2]]  # type: ignore[attr-defined]
    return bodies[0], bodies[1], texts[2]


def test_a_size_is_read_from_the_tensor_that_has_it() -> None:
    python, triton, _ = settled(
        "x, n", "return x.view(n, 2)", "return launch(x)", "x = torch.randn(n, 2)"
    )

    assert python == "return x.view(x.shape[0], 2)"
    assert triton == "return launch(x)"


def test_a_size_stays_if_its_tensor_is_made_twice() -> None:
    python, *_ = settled(
        "x, n", "return x.view(n, 2)", "return launch(x)", "x = torch.randn(n, 2); x = x[:1]"
    )

    assert python == "return x.view(n, 2)"


def test_a_second_copy_of_an_input_is_the_input() -> None:
    python, triton, _ = settled(
        "x, y", "return y.exp()", "return launch(x)", "x = torch.randn(n); y = x.detach().clone()"
    )

    assert (python, triton) == ("return x.exp()", "return launch(x)")


@pytest.mark.parametrize("change", ["x.zero_()", "y[0] = 1", "y += 1", "fill(x)"])
def test_a_copy_that_changes_is_another_input(change: str) -> None:
    python, *_ = settled(
        "x, y", "return y.exp()", "return launch(x)", f"x = torch.randn(n); y = x.clone(); {change}"
    )

    assert python == "return y.exp()"


def test_a_reference_converts_its_input_itself() -> None:
    python, *_ = settled(
        "x, y",
        "return y.exp()",
        "return launch(x)",
        "x = torch.randn(n); y = None if x is None else x.double()",
    )

    assert python == "return (None if x is None else x.double()).exp()"


def test_a_launcher_converts_no_input() -> None:
    _, triton, _ = settled(
        "x, y", "return x.exp()", "return launch(y)", "x = torch.randn(n); y = x.double()"
    )

    assert triton == "return launch(y)"


def test_a_switch_that_one_side_reads_is_written_out_with_its_cases() -> None:
    _, triton, test = settled(
        "x, fast", "return x.exp()", "return launch(x, fast=fast)", "x = torch.randn(n)"
    )

    assert triton == "return launch(x, fast=True)"
    assert '"n": 4' in test
    assert '"n": 5' not in test


def test_a_switch_that_decides_the_inputs_stays() -> None:
    _, triton, test = settled(
        "x, fast",
        "return x.exp()",
        "return launch(x, fast=fast)",
        "x = torch.randn(n) if fast else torch.zeros(n)",
    )

    assert triton == "return launch(x, fast=fast)"
    assert '"n": 5' in test


def test_a_switch_that_both_sides_read_stays() -> None:
    _, triton, _ = settled(
        "x, fast", "return x if fast else -x", "return launch(x, fast)", "x = torch.randn(n)"
    )

    assert triton == "return launch(x, fast)"


def test_a_size_that_only_the_launcher_reads_is_no_switch() -> None:
    _, triton, _ = settled(
        "x, most", "return x.exp()", "return launch(x, most)", "x = torch.randn(n); most = 128"
    )

    assert triton == "return launch(x, most)"


def test_a_launcher_allocates_its_own_result() -> None:
    python, triton, _ = settled(
        "x, out",
        "return x.exp().to(out.dtype)",
        "out = out.clone(); launch(x, out); return out",
        "x = torch.empty((n, 2)).normal_(); out = torch.empty((n, 2)).normal_()",
    )

    assert python == "return x.exp().to(x.dtype)"
    assert triton.splitlines()[0] == "out = torch.empty_like(x)"


@pytest.mark.parametrize(
    ("reference", "allocation"),
    [
        ("return out + x", "torch.zeros((n, 2))"),
        ("return x.exp()", "torch.zeros((n, 3))"),
        ("return x.exp()", "torch.zeros((n, 2), dtype=torch.int32)"),
    ],
)
def test_a_buffer_stays_if_its_values_or_its_shape_count(reference: str, allocation: str) -> None:
    _, triton, _ = settled(
        "x, out",
        reference,
        "out = out.clone(); launch(x, out); return out",
        f"x = torch.randn(n, 2); out = {allocation}",
    )

    assert triton.splitlines()[0] == "out = out.clone()"


def test_a_switch_that_says_whether_a_tensor_is_given_is_the_question_itself() -> None:
    python, triton, _ = settled(
        "x, z, fast",
        "return x * z if fast else x",
        "return launch(x, z)",
        "x = torch.randn(n); z = torch.randn(n) if fast else None",
    )

    assert python == "return x * z if z is not None else x"
    assert triton == "return launch(x, z)"
