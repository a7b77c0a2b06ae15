"""Whatever a repository holds, each operation ends as a draft or as a reason."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.drafting import Missing
from tests.ingest.drafting.repositories import drafted, only

GOOD = """
def test_doubled():
    x = torch.randn(64, device=device)
    assert torch.allclose(doubled(x), x + x)
"""


def test_a_test_file_that_does_not_parse_is_ignored() -> None:
    assert only("def test_doubled(:\n    assert torch.allclose(").missing is Missing.NO_TEST


def test_too_deep_nesting_gives_a_reason_instead_of_a_draft() -> None:
    deep = "(" * 150 + "x" + ")" * 150 + " + x" * 5_000
    outcome = only(
        f"def test_doubled():\n    x = torch.ones(4)\n    y = {deep}\n"
        "    assert torch.allclose(doubled(y), x + x)\n"
    )

    assert outcome.missing in {Missing.UNREADABLE, Missing.NO_TEST}


def test_drafting_ends_with_circular_imports() -> None:
    outcome = only(
        "from ops.one import ref_doubled\n" + GOOD.replace("x + x", "ref_doubled(x)"),
        ops__one="from ops.two import ref_doubled\n",
        ops__two="from ops.one import ref_doubled\n",
    )

    assert outcome.missing is Missing.REFERENCE_NOT_STANDALONE


def test_drafting_ends_with_mutually_recursive_functions() -> None:
    test = """
def ref_one(x):
    return ref_two(x)

def ref_two(x):
    return ref_one(x)
""" + GOOD.replace("x + x", "ref_one(x)")

    assert only(test).missing is None


def test_a_huge_product_of_parameters_gives_a_bounded_number_of_cases() -> None:
    many = "\n".join(f'@pytest.mark.parametrize("n{k}", list(range(1, 100000)))' for k in range(6))
    names = ", ".join(f"n{k}" for k in range(6))
    outcome = only(
        f"{many}\ndef test_doubled({names}):\n    x = torch.randn(n0, n1)\n"
        "    assert torch.allclose(doubled(x), x + x)\n"
    )

    assert outcome.missing is None


def test_a_list_that_would_fill_the_memory_gives_a_reason() -> None:
    outcome = only(
        '@pytest.mark.parametrize("n", [1] * 10**12)\ndef test_doubled(n):\n'
        "    x = torch.randn(n)\n    assert torch.allclose(doubled(x), x + x)\n"
    )

    assert outcome.missing is Missing.INPUTS


@settings(max_examples=60)
@given(cut=st.integers(0, len(GOOD)), rubbish=st.text(max_size=12))
def test_no_text_crashes_the_drafting(cut: int, rubbish: str) -> None:
    rubbish = rubbish.encode("utf-8", "ignore").decode()

    assert len(drafted(GOOD[:cut] + rubbish + GOOD[cut:])) >= 1
