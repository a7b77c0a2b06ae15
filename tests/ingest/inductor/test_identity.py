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
def test_names_devices_and_hashes_make_no_difference(other: Made) -> None:
    assert other.source != KERNEL.source
    assert identity_source(other.source) == identity_source(KERNEL.source)


@pytest.mark.parametrize(
    "other",
    [
        replace(KERNEL, body="tmp0 + 2.0"),
        replace(KERNEL, numel=64),
    ],
)
def test_bodies_and_shapes_make_a_difference(other: Made) -> None:
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
def test_every_hint_and_type_makes_a_difference(line: str, changed: str) -> None:
    assert identity_source(KERNEL.source.replace(line, changed)) != identity_source(KERNEL.source)


def test_a_name_that_a_person_gave_is_kept() -> None:
    source = KERNEL.source.replace("def triton_poi_fused_add_3", "def my_kernel")

    assert "def my_kernel(" in identity_source(source)


def test_line_ends_and_blanks_at_line_ends_make_no_difference() -> None:
    crlf = "\n" + KERNEL.source.replace("\n", " \r\n")

    assert identity_source(crlf) == identity_source(KERNEL.source)


@given(st.permutations(["'kernel_name': 'triton_poi_fused_add_3'", "'num_load': 1",
                        "'backend_hash': 'AB12'", "'x': {}"]))  # fmt: skip
def test_the_identity_is_python_wherever_the_name_stands_among_the_hints(pairs: list[str]) -> None:
    start = KERNEL.source.index("inductor_meta={") + len("inductor_meta={")
    end = KERNEL.source.index("}", start)
    source = KERNEL.source[:start] + ", ".join(pairs) + KERNEL.source[end:]

    identity = identity_source(source)

    ast.parse(identity)
    assert "kernel_name" not in identity and "AB12" not in identity
    assert "'num_load': 1" in identity
    assert identity_source(identity) == identity


@given(st.text())
def test_any_text_has_an_identity_that_is_its_own_identity(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()

    once = identity_source(text)

    assert identity_source(once) == once
