"""Autotuned kernels keep their author's configurations."""

from __future__ import annotations

import pytest

from tests.ingest.drafting.repositories import DOUBLING, only, whole

TEST = """
def test_doubled():
    x = torch.randn(64, device=device)
    assert torch.allclose(doubled(x), x + x)
"""
TUNED = DOUBLING.replace(
    "@triton.jit",
    """@tuner(
    configs=[
        triton.Config({"BLOCK": 16}),
        triton.Config({"BLOCK": 32}),
    ],
    key=["n"],
)
@triton.jit""",
    1,
)


@pytest.mark.parametrize("tuner", ["triton.autotune", "libtuner"])
def test_all_configurations_stay(tuner: str) -> None:
    tuned = TUNED.replace("tuner", tuner)

    outcome = only(TEST, ops__doubling=tuned)

    assert outcome.draft is not None
    code = outcome.draft.texts.triton_code
    assert (
        "@triton.autotune(\n"
        "    configs=[\n"
        '        triton.Config({"BLOCK": 16}),\n'
        '        triton.Config({"BLOCK": 32}),\n'
        "    ],\n"
        '    key=["n"],\n'
        ")\n"
        "@triton.jit"
    ) in code
    line = tuned[: tuned.index(f"@{tuner}")].count("\n") + 1
    assert outcome.operation.kernels[0].start_line == line


def test_options_of_a_wrapper_that_triton_does_not_know_are_left_out() -> None:
    tuned = TUNED.replace("tuner", "libtuner").replace(
        'key=["n"],', 'key=["n"],\n    strategy=["log"],'
    )

    code = whole(TEST, ops__doubling=tuned).texts.triton_code

    assert "strategy" not in code
