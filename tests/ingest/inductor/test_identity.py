import ast
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.inductor import identity_source
from tests.ingest.inductor.trees import DEVICE_B, Made

KERNEL = Made("triton_poi_fused_add_3")


@pytest.mark.parametrize(
    "other",
    [
        replace(KERNEL, name="triton_poi_fused_add_14"),
        replace(KERNEL, name="triton_"),
        replace(KERNEL, device=DEVICE_B),
        replace(KERNEL, backend_hash="FFFF"),
    ],
)
def test_names_devices_and_hashes_do_not_change_the_identity(other: Made) -> None:
    assert other.source != KERNEL.source
    assert identity_source(other.source) == identity_source(KERNEL.source)


@pytest.mark.parametrize(
    "other",
    [
        replace(KERNEL, body="tmp0 + 2.0"),
        replace(KERNEL, numel=64),
    ],
)
def test_a_changed_body_or_shape_changes_the_identity(other: Made) -> None:
    assert identity_source(other.source) != identity_source(KERNEL.source)


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("'num_load': 1", "'num_load': 2"),
        ("'in_ptr0': '*fp32'", "'in_ptr0': '*bf16'"),
        ("pointwise", "reduction"),
        ("XBLOCK : tl.constexpr", "XBLOCK"),
        ("min_elem_per_thread=0", "min_elem_per_thread=1"),
    ],
)
def test_every_hint_and_type_changes_the_identity(line: str, changed: str) -> None:
    assert identity_source(KERNEL.source.replace(line, changed)) != identity_source(KERNEL.source)


def test_the_identity_keeps_a_kernel_name_given_by_a_person() -> None:
    source = KERNEL.source.replace("def triton_poi_fused_add_3", "def my_kernel")

    assert "def my_kernel(" in identity_source(source)


def test_line_ends_and_trailing_blanks_do_not_change_the_identity() -> None:
    crlf = "\n" + KERNEL.source.replace("\n", " \r\n")

    assert identity_source(crlf) == identity_source(KERNEL.source)


@given(st.permutations(["'kernel_name': 'triton_poi_fused_add_3'", "'num_load': 1",
                        "'backend_hash': 'AB12'", "'x': {}"]))  # fmt: skip
def test_the_identity_is_valid_python_at_any_position_of_the_name_hint(pairs: list[str]) -> None:
    start = KERNEL.source.index("inductor_meta={") + len("inductor_meta={")
    end = KERNEL.source.index("}", start)
    source = KERNEL.source[:start] + ", ".join(pairs) + KERNEL.source[end:]

    identity = identity_source(source)

    ast.parse(identity)
    assert "kernel_name" not in identity and "AB12" not in identity
    assert "'num_load': 1" in identity
    assert identity_source(identity) == identity


@given(st.text())
def test_computing_the_identity_is_idempotent_for_any_text(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()

    once = identity_source(text)

    assert identity_source(once) == once
