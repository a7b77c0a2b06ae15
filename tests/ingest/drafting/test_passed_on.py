"""A helper that only passes its arguments on is the call that it makes."""

from __future__ import annotations

import pytest

from ingest.drafting.passed_on import write_arguments, write_calls


def written(helper: str, answer: str, above: str = "") -> str:
    """Return the last line of a function that calls a helper."""
    text = f"{helper}\n\n\ndef entry(x, dim):\n{above}    return {answer}\n"
    return write_calls(text, "entry").rstrip().rpartition("\n")[2].strip()


HELPER = (
    "def lse_torch(x, dim, keepdim=False):\n"
    '    """Reference."""\n    return torch.logsumexp(x, dim=dim, keepdim=keepdim)'
)


def test_a_call_inside_of_an_expression_is_written_out() -> None:
    assert written(HELPER, "lse_torch(x.float(), dim).to(x.dtype)") == (
        "return torch.logsumexp(x.float(), dim=dim, keepdim=False).to(x.dtype)"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("torch.logsumexp(x, dim=dim", "torch.logsumexp(x + 1, dim=dim"),
        ("def lse_torch", "@decorated\ndef lse_torch"),
        ("torch.logsumexp(x, dim=dim", "torch.logsumexp(x, x, dim=dim"),
        ("    return", "    y = x\n    return"),
    ],
)
def test_a_helper_that_does_more_stays(old: str, new: str) -> None:
    assert written(HELPER.replace(old, new), "lse_torch(x, dim)") == "return lse_torch(x, dim)"


def test_a_name_that_the_function_binds_is_another() -> None:
    helper = HELPER.replace("torch.logsumexp", "ops.lse")

    assert written(helper, "lse_torch(x, dim)", "    ops = x\n") == "return lse_torch(x, dim)"


def test_a_helper_that_returns_its_argument_is_not_called() -> None:
    helper = "def kept(x=1):\n    return x\n\n\n"

    assert write_arguments(helper + "y = 2 * kept(a.b)\n") == helper + "y = 2 * a.b\n"
    assert write_arguments(helper + "y = 2 * kept(a + b)\n") == helper + "y = 2 * kept(a + b)\n"
