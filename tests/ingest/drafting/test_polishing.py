"""What a reader does not need is left out of a whole draft."""

from __future__ import annotations

import textwrap

from ingest.drafting.folding import PLAIN, TENSOR, fold_function
from ingest.drafting.wrappers import merge_wrappers


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def test_a_function_that_passes_its_arguments_on_holds_the_called_code() -> None:
    merged = merge_wrappers(
        text(
            """
            # Scales.
            def launch(a, b, *, alpha=1, out=None):
                # Kept.
                message = f"{a.shape} and {b}"
                return kernel(a, alpha, key=b, a=a)


            def scaled(x, y):
                result = launch(x, b=y)
                return result
            """
        ),
        "scaled",
    )

    assert merged == text(
        """
        # Scales.
        def scaled(x, y):
            alpha = 1
            out = None
            # Kept.
            message = f"{x.shape} and {y}"
            return kernel(x, alpha, key=y, a=x)
        """
    )


def test_several_wrappers_are_merged_and_keep_annotations_and_docstrings() -> None:
    merged = merge_wrappers(
        text(
            """
            def inner(first: torch.Tensor):
                return first + 1


            @torch.no_grad()
            def outer(a: torch.Tensor, size: int) -> torch.Tensor:
                '''Add one.

                Args:
                    size: The size.
                '''
                return inner(a)


            def entry(x, n):
                return outer(x, n)
            """
        ).replace("'", '"'),
        "entry",
    )

    assert merged.startswith("@torch.no_grad()\ndef entry(x: torch.Tensor, n: int)")
    assert "        n: The size." in merged
    assert "return x + 1" in merged


def test_a_wrapper_stays_if_its_function_has_another_use_or_a_name_would_change_its_meaning() -> (
    None
):
    used = "def f(a):\n    return a\n\n\ng = f\n\n\ndef entry(x):\n    return f(x)\n"
    hides = "def f(a):\n    return a + x\n\n\ndef entry(x):\n    return f(x)\n"
    swapped = "def f(a, b):\n    return a - b\n\n\ndef entry(a, b):\n    return f(b, a)\n"
    decorated = "@cached\ndef f(a):\n    return a\n\n\ndef entry(x):\n    return f(x)\n"

    for kept in (used, hides, swapped, decorated):
        assert merge_wrappers(kept, "entry") == kept


def test_branches_that_a_fixed_argument_excludes_are_left_out() -> None:
    folded = fold_function(
        text(
            """
            def entry(x, y, n):
                out = None
                scale = 2
                training = False
                if out is None:
                    out = empty(x)
                if isinstance(x, torch.Tensor) and isinstance(n, torch.Tensor):
                    return both(x, n)
                elif training:
                    return trained(x)
                elif isinstance(x, torch.Tensor):
                    y = y if n is None else n
                    return launch(x, y, scale, training)
                return None
            """
        ),
        "entry",
        {"x": TENSOR, "n": PLAIN},
    )

    assert folded == text(
        """
        def entry(x, y, n):
            scale = 2
            out = empty(x)
            y = n
            return launch(x, y, scale, False)
        """
    )


def test_a_fixed_argument_that_is_written_to_decides_nothing_afterwards() -> None:
    code = text(
        """
        def entry(x):
            out = None
            for part in x:
                if out is None:
                    out = part
                later = lambda: 1 if out is None else 2
            if out is None:
                return x
            return out
        """
    )

    assert fold_function(code, "entry", {}) == code
