"""A kernel that is launched without its block size makes no whole draft."""

from __future__ import annotations

from ingest.drafting import Missing
from ingest.drafting.launch_arguments import find_missing_arguments
from tests.ingest.drafting.repositories import DOUBLING, drafted

KERNEL = """
{decorators}
@triton.jit(do_not_specialize=["n"])
def kernel(x, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, WIDE: tl.constexpr = False):
    pass


def launch(x):
    kernel[(1,)]({given})
"""


def missing(given: str, decorators: str = "") -> str:
    return find_missing_arguments(KERNEL.format(given=given, decorators=decorators))


def test_a_parameter_without_a_value_is_named() -> None:
    assert missing("x, 4") == "kernel is launched without COLUMNS, ROWS"
    assert missing("x, 4, COLUMNS=8") == "kernel is launched without ROWS"


def test_defaults_and_unpacked_arguments_give_values() -> None:
    assert missing("x, 4, 2, COLUMNS=8") == ""
    assert missing("x, 4, **blocks") == ""
    assert missing("*tensors, ROWS=2") == ""


def test_tuning_decorators_give_values() -> None:
    configurations = '@triton.autotune([triton.Config({"ROWS": 2})], key=["n"])'
    heuristics = '@triton.heuristics({"COLUMNS": lambda args: 8})'

    assert missing("x, 4", f"{configurations}\n{heuristics}") == ""
    assert missing("x, 4", configurations) == "kernel is launched without COLUMNS"


def test_a_draft_whose_configurations_can_not_be_read_is_not_whole() -> None:
    tuned = """
@triton.autotune(configs=read_configurations("doubling.yaml"), key=["n"])
@triton.jit"""
    launchers = DOUBLING.replace("\n@triton.jit", tuned).replace(", BLOCK=16)", ")")
    assert launchers.count("BLOCK=16") == 0

    (outcome,) = drafted(
        """
        from ops.doubling import doubled

        def test_doubled():
            x = torch.randn(64, device=device)
            assert torch.allclose(doubled(x), x + x)
        """,
        ops__doubling="from yaml import read_configurations\n" + launchers,
    )

    assert outcome.missing is Missing.TRITON_NOT_STANDALONE
    assert "needs yaml" in outcome.sentence
