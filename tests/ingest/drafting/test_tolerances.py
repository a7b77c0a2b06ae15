"""The tolerance of a draft's test: its author's, up to a cap, and never less than usual."""

from __future__ import annotations

import ast

import pytest

from tests.ingest.drafting.repositories import whole


def tolerance(test: str) -> dict[str, tuple[float, float]]:
    code = whole(test).texts.test_code
    (table,) = [
        node.value
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TOLERANCE"
    ]
    read: dict[str, tuple[float, float]] = ast.literal_eval(table)
    return read


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        ("assert torch.allclose(doubled(x), x + x, rtol=5e-3, atol=2e-2)", (5e-3, 2e-2)),
        ("assert torch.allclose(doubled(x), x + x, 5e-3, 2e-2)", (5e-3, 2e-2)),
        ("assert (x + x).allclose(doubled(x), 0, 2e-2)", (1e-3, 2e-2)),
        ("assert (doubled(x) - (x + x)).abs().max() < 2e-2", (1e-3, 2e-2)),
        ("assert (doubled(x) - (x + x)).abs().mean() < 2e-2", (1e-3, 1e-3)),
        ("assert_close('o', x + x, doubled(x), 0.002)", (1e-3, 1e-2)),
        ("assert_close('o', x + x, doubled(x), ratio=0.002)", (1e-3, 1e-2)),
        ("torch.testing.assert_close(doubled(x), x + x, rtol=1e-6, atol=1e-6)", (1e-3, 1e-3)),
        ("torch.testing.assert_close(doubled(x), x + x, rtol=7, atol=900)", (1e-2, 2.5e-2)),
        ("torch.testing.assert_close(doubled(x), x + x, rtol=unknown(), atol=0)", (1e-3, 1e-3)),
    ],
)
def test_a_draft_takes_the_tolerance_of_the_comparison(
    comparison: str, expected: tuple[float, float]
) -> None:
    test = f"""
        def test_doubled():
            x = torch.randn(64, device=device)
            {comparison}
        """

    assert tolerance(test) == {"float32": expected}


def test_a_tolerance_by_dtype_is_evaluated_for_each_case() -> None:
    test = """
        @pytest.mark.parametrize("dtype, atol", [(torch.float16, 4e-2), (torch.float32, 2e-2)])
        def test_doubled(dtype, atol):
            x = torch.randn(64, device=device, dtype=dtype)
            rtol, unused = (1.5e-2, 0) if dtype == torch.float16 else (2e-3, 0)
            limit = atol
            torch.testing.assert_close(doubled(x), x + x, rtol=rtol, atol=limit)
        """

    assert tolerance(test) == {"float16": (1.5e-2, 4e-2), "float32": (2e-3, 2e-2)}


def test_the_tolerance_of_gradients_is_used_too() -> None:
    test = """
        def test_doubled():
            x = torch.randn(64, device=device, requires_grad=True)
            y = x.detach().clone().requires_grad_()
            ours, theirs = Doubling.apply(x), y + y
            torch.testing.assert_close(ours, theirs)
            ours.sum().backward()
            theirs.sum().backward()
            torch.testing.assert_close(x.grad, y.grad, rtol=0, atol=5e-3)
        """

    assert tolerance(test) == {"float32": (1e-3, 5e-3)}


def test_the_error_magnitude_ignores_infinite_and_nan_values() -> None:
    torch = pytest.importorskip("torch")
    code = whole(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    ).texts.test_code
    (found,) = [
        node
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef) and node.name == "magnitude"
    ]
    module: dict[str, object] = {}
    exec(ast.unparse(found), module)  # noqa: S102 - our own text
    magnitude = module["magnitude"]

    assert callable(magnitude)
    assert magnitude(torch.full((4,), -3.0)) == 3
    assert magnitude(torch.tensor([float("-inf"), 4.0])) == 4
    assert magnitude(torch.tensor([float("nan")])) == 0


def test_authors_who_count_two_nan_as_equal_are_followed() -> None:
    draft = whole(
        """
        def test_doubled():
            x = torch.randn(64, device=device)
            torch.testing.assert_close(doubled(x), x + x, equal_nan=True)
        """
    )

    assert "equal_nan=True)" in draft.texts.test_code
