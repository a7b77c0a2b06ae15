from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.kinds.reading import read
from ingest.candidate import Candidate
from ingest.extract import ExtractedKernel, StandaloneUnit
from ingest.quality import Finding, check, default_profile

GOOD = '''
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Double every value."""
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    # The last block may be partial.
    mask = at < n
    x = tl.load(x_ptr + at, mask=mask)
    tl.store(out_ptr + at, x * 2, mask=mask)
'''


def findings(standalone_source: str = GOOD, **changes: Any) -> tuple[Finding, ...]:
    """Return the findings on a good kernel with these changes, of its place, kernel or unit."""
    values: dict[str, Any] = {
        "name": "scale", "path": "ops/scale.py", "kind": "entry", "language": "triton",
        "function_source": GOOD.split("\n\n\n")[1], "launcher_source": "def f(): ...",
        "standalone": True, "standalone_reasons": (), "tokens": 150,
    } | changes  # fmt: skip
    kernel = ExtractedKernel(
        path=values["path"], qualname=values["name"], name=values["name"], start_line=1, end_line=9,
        kind=values["kind"], language=values["language"], container="module",
        source=values["function_source"], sha256="", parameters=(),
    )  # fmt: skip
    unit = StandaloneUnit(
        standalone_source,
        values["standalone"],
        values["standalone_reasons"],
        launcher_source=values["launcher_source"],
    )
    item = Candidate(kernel, unit, content_hash="", tokens=values["tokens"])
    return check(item, read(kernel.name, standalone_source))


def finding(gate: str, **changes: Any) -> Finding:
    return next(each for each in findings(**changes) if each.gate == gate)


def with_text(gate: str, old: str, new: str) -> Finding:
    assert old in GOOD
    return finding(gate, standalone_source=GOOD.replace(old, new))


def test_a_good_kernel_passes_every_gate() -> None:
    assert [each.gate for each in findings() if not each.passed] == []


def test_every_quality_gate_returns_a_finding_with_a_message() -> None:
    found = findings()

    assert [each.gate for each in found] == [gate.name for gate in default_profile().gates]
    assert all(each.message.endswith((".", "`")) for each in found)


@pytest.mark.parametrize(
    ("gate", "old", "new"),
    [
        ("has_jit", "@triton.jit\n", "# @triton.jit\n"),
        ("bounds_masking", ", mask=mask)", ")  # mask=mask"),
        ("program_id", "tl.program_id(0)", "0  # tl.program_id"),
        ("block_size", ": tl.constexpr", ""),
        ("load_store", "tl.store(", "print("),
        ("docstring", '"""Double every value."""', "# Double every value."),
        ("parses", "mask = at < n", "mask = at < )"),
        ("commented_share", "    # The last block may be partial.\n", ""),
        ("magic_number_share", "x * 2", "x * 0.7978845 + 0.044715 + 1337"),
    ],
)
def test_a_quality_gate_detects_what_is_missing_in_the_syntax_tree(
    gate: str, old: str, new: str
) -> None:
    assert not with_text(gate, old, new).passed


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("The last block", "The last block \u05d0", ""),
        ("The last block", "The \u202elast block", "U+202E RIGHT-TO-LEFT OVERRIDE once on line 11"),
        ("mask = at", "ma\u200bsk = at", "U+200B ZERO WIDTH SPACE once on line 12"),
        ("mask = at", "mask\ufe00 = at", "U+FE00 VARIATION SELECTOR-1 once on line 12"),
    ],
)
def test_a_deceptive_character_is_a_warning_and_does_not_block(
    old: str, new: str, says: str
) -> None:
    found = finding("invisible_characters", standalone_source=GOOD.replace(old, new))

    assert (found.passed, found.action) == (not says, "warn")
    assert says in found.message
    assert finding("unusual_characters", standalone_source=GOOD.replace(old, new)).passed


def test_an_unusual_character_in_a_comment_or_a_docstring_is_a_note() -> None:
    text = GOOD.replace("Double every", "Double\xa0every").replace(
        "partial", "partial \u2764\ufe0f"
    )
    found = finding("unusual_characters", standalone_source=text)

    assert (found.passed, found.action, found.value) == (False, "note", 2.0)
    assert found.message == (
        "Invisible: U+00A0 NO-BREAK SPACE once on line 8; "
        "U+FE0F VARIATION SELECTOR-16 once on line 11."
    )
    assert finding("invisible_characters", standalone_source=text).passed


def test_the_launcher_is_checked_for_invisible_characters_too() -> None:
    found = finding("invisible_characters", launcher_source="def f():\n    # \u2067\n    ...")

    assert found.message == (
        "Invisible: U+2067 RIGHT-TO-LEFT ISOLATE once on line 2 of its launcher."
    )


def test_a_byte_order_mark_at_the_start_is_accepted() -> None:
    assert finding("invisible_characters", standalone_source=f"\ufeff{GOOD}").passed
    assert finding("unusual_characters", standalone_source=f"\ufeff{GOOD}").passed


def test_gates_ignore_strings_and_comments() -> None:
    text = "@other\ndef k(x):\n    '@triton.jit tl.program_id mask= tl.load tl.store BLOCK_SIZE'\n"

    failed = {each.gate for each in findings(standalone_source=text) if not each.passed}

    assert failed >= {"has_jit", "program_id", "block_size", "load_store", "not_a_stub"}


@pytest.mark.parametrize(
    "spelling",
    ["from triton import language as L", "import triton.language as L"],
)
def test_quality_gates_resolve_import_aliases(spelling: str) -> None:
    text = GOOD.replace("import triton.language as tl", spelling).replace("tl.", "L.")

    assert not [each for each in findings(standalone_source=text) if not each.passed]


def test_a_load_of_a_single_value_needs_no_mask() -> None:
    text = GOOD.replace("x = tl.load", "s = tl.load(s_ptr)\n    x = tl.load")

    assert finding("bounds_masking", standalone_source=text).value == 1.0


def test_a_block_pointer_with_boundary_check_counts_as_masked() -> None:
    text = (
        "import triton\nimport triton.language as tl\n@triton.jit\ndef scale(p, B: tl.constexpr):\n"
        "    b = tl.make_block_ptr(p, (8,), (1,), (0,), (B,), (0,))\n"
        "    tl.store(b, tl.load(b, boundary_check=(0,)), boundary_check=(0,))\n"
    )

    assert finding("bounds_masking", standalone_source=text).value == 1.0


def test_a_finding_names_the_line() -> None:
    found = with_text("bounds_masking", "tl.load(x_ptr + at, mask=mask)", "tl.load(x_ptr + at)")

    assert found.value == 0.5
    assert "line 13 isn't: `tl.load(x_ptr + at)`" in found.message


def test_the_standalone_finding_names_the_reason() -> None:
    found = finding("standalone", standalone=False, standalone_reasons=("It needs `helper`.",))

    assert not found.passed
    assert found.action == "block"
    assert found.message == "It needs `helper`."


@pytest.mark.parametrize(
    "body", ["pass", "...", '"""Doc."""', "return", "raise NotImplementedError"]
)
def test_a_stub_kernel_is_blocked_by_its_gate(body: str) -> None:
    text = f"import triton\n@triton.jit\ndef scale(x):\n    {body}\n"

    found = findings(standalone_source=text)

    stub = next(each for each in found if each.gate == "not_a_stub")
    assert (stub.passed, stub.action) == (False, "block")


def test_a_test_double_is_blocked_but_a_real_kernel_in_a_test_isnt() -> None:
    assert not finding("not_a_test_double", path="tests/test_a.py", name="dummy_kernel").passed
    assert finding("not_a_test_double", path="tests/test_a.py").passed
    assert finding("not_a_test_double", path="ops/a.py", name="dummy_kernel").passed


def test_a_helper_is_not_checked_by_gates_for_entries() -> None:
    text = "import triton\n@triton.jit\ndef scale(x):\n    # why\n    return x * x + 1\n"
    found = findings(standalone_source=text, kind="helper", launcher_source=None)

    assert {each.gate for each in found if not each.passed} <= {"docstring"}


def test_gate_bounds_come_from_the_profile() -> None:
    assert not finding("tokens", tokens=20_000).passed
    assert not finding("tokens", tokens=3).passed
    assert finding("tokens", tokens=20_000).action == "warn"


@given(text=st.text(st.characters(codec="utf-8") | st.sampled_from("()[]:=\n .tldef@")))
@settings(max_examples=150)
def test_any_text_can_be_checked(text: str) -> None:
    found = findings(standalone_source=text, function_source=text, standalone=False)

    assert len(found) == len(default_profile().gates)


@pytest.mark.parametrize(
    "gate", ["has_jit", "bounds_masking", "program_id", "block_size", "load_store"]
)
def test_gates_about_triton_syntax_skip_a_pallas_kernel(gate: str) -> None:
    text = "def scale(x_ref, o_ref):\n    o_ref[...] = x_ref[...] * 2\n"
    asked = finding(gate, language="pallas", function_source=text, standalone_source=text)

    assert asked.passed
    assert asked.value is None
