"""The zoo is consistent: an honest entry keeps the dataset's contract and passes under pytest, and
a kind of fault says what it does and which checks may find it.
"""

import ast
import json
import re
import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

from curation.models import OperationType
from tests.hostile.zoo.catalog import Check, Danger, Needs, Verdict, load_kinds
from tests.hostile.zoo.load import Code, cheats, defined, honest_entries, main, zoo
from tests.validation.pairs.test_library import assert_records_pass

pytestmark = pytest.mark.slow

HONEST = {entry.name: entry for entry in honest_entries()}
# Pairs of the library have the contract of `tests/validation/pairs/test_library.py`.
OURS = {name: entry for name, entry in HONEST.items() if not name.startswith("library.")}
CHEATS = {entry.name: entry for entry in cheats()}
KINDS = {kind.name: kind for kind in load_kinds()}
# A harness run of the whole zoo takes minutes, so the catalog has a limit.
ENTRIES_MOST = 400
# What a launcher may ask of torch: memory, also with numbers that it knows itself, of what type and
# layout, and what its gradients and its own operation are registered and called by.
ALLOCATION = {
    *("empty", "empty_like", "zeros", "zeros_like", "tensor", "contiguous_format", "Tensor"),
    *("float32", "float8_e5m2", "int8", "int32", "int64", "bool"),
    *("inference_mode", "autograd.Function", "cuda.is_available"),
    *("library.custom_op", "ops.curated", "ops.curated.hard_swish"),
}


@pytest.mark.parametrize("name", OURS)
def test_an_honest_entry_follows_the_contract(name: str) -> None:
    code, entry_point = HONEST[name].code, HONEST[name].entry_point

    assert {"torch", "math", *sys.stdlib_module_names} >= _imported(code.python_code)
    assert {"torch", "triton", *sys.stdlib_module_names} >= _imported(code.triton_code)
    assert {"torch", "triton_code", "python_code", "pytest"} >= _imported(code.test_code)
    assert entry_point in defined(code.python_code) & defined(code.triton_code)
    assert {"CASES", "TOLERANCE", "make_inputs", "test_equivalence"} <= defined(code.test_code)
    assert code.test_code.startswith(
        f"from python_code import {entry_point} as reference\n"
        f"from triton_code import {entry_point} as candidate\n"
    )
    assert "torch.allclose" in code.test_code


@pytest.mark.parametrize("name", OURS)
def test_an_honest_launcher_uses_torch_only_to_allocate(name: str) -> None:
    tree = ast.parse(HONEST[name].code.triton_code)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    parts = {id(node.value) for node in names}
    asked = {ast.unparse(node) for node in names if id(node) not in parts}

    of_torch = {one for one in asked if re.fullmatch(r"torch(\.\w+)+", one)}
    assert of_torch <= {f"torch.{one}" for one in ALLOCATION}


@pytest.mark.parametrize("name", OURS)
def test_honest_cases_include_one_element_and_a_layout_or_prime_size(name: str) -> None:
    cases = _cases(HONEST[name].code.test_code)

    assert len(cases) >= 3
    assert all("dtype" in case and isinstance(case["seed"], int) for case in cases)
    assert any(set(_sizes(case)) <= {0, 1, 2, 4, 8, 16} for case in cases)
    assert any(size % 2 and size > 10 for case in cases for size in _sizes(case))


def test_honest_entries_are_of_all_operation_types() -> None:
    types = Counter(entry.operation_type for entry in HONEST.values())

    assert set(types) == set(OperationType.values)
    assert len(HONEST) >= 32
    assert min(types.values()) >= 2


def test_each_operation_type_has_a_representative_entry() -> None:
    types = {entry.operation_type for entry in HONEST.values() if entry.is_representative}

    assert types == set(OperationType.values)
    assert any(entry.differentiable for entry in HONEST.values() if entry.is_representative)


def test_honest_entries_that_no_run_judges_by_default_pass_in_a_folder(tmp_path: Path) -> None:
    others = [entry for entry in OURS.values() if not entry.is_representative]

    assert_records_pass((entry.record() for entry in others), tmp_path)


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_fault_has_a_description(name: str) -> None:
    kind = KINDS[name]
    names = [variant.name for variant in kind.variants]

    assert kind.behavior.endswith(".")
    assert kind.behavior.count(". ") == 0, "one sentence"
    assert not kind.harmless_because or kind.harmless_because.endswith(".")
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", CHEATS)
def test_each_variant_names_its_expected_verdict_and_checks(name: str) -> None:
    entry = CHEATS[name]
    cheat = entry.cheat
    assert cheat is not None

    assert cheat.behavior.endswith(".")
    assert cheat.expected
    assert cheat.caught_by
    assert (Verdict.PASSED in cheat.expected) == bool(cheat.passes_because)
    assert (entry.needs is Needs.NOTHING) == (not entry.reason)
    assert (Verdict.TIMEOUT in cheat.expected) or (Danger.HANGS not in cheat.dangers)


def test_the_representative_of_a_kind_needs_no_device() -> None:
    elsewhere = {
        name for name, kind in KINDS.items() if kind.variants[0].needs is not Needs.NOTHING
    }

    assert not elsewhere


def test_the_catalog_stays_within_its_limit() -> None:
    assert 90 <= len(KINDS) <= 130
    assert len(zoo()) <= ENTRIES_MOST


def test_all_cheats_parse_except_the_syntax_error() -> None:
    unparsed = [entry.name for entry in CHEATS.values() if not _parses(entry.code)]

    assert unparsed == ["cannot-be-imported.syntax-error"]


def test_no_two_zoo_entries_are_equal() -> None:
    assert len({entry.code for entry in zoo()}) == len(zoo())
    assert len({entry.name for entry in zoo()}) == len(zoo())


def test_every_check_has_a_fault_to_find() -> None:
    caught = {check for entry in CHEATS.values() if entry.cheat for check in entry.cheat.caught_by}

    assert caught == set(Check)


def test_the_written_zoo_file_contains_no_expected_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "zoo.jsonl"
    monkeypatch.setattr(sys, "argv", ["load", "--write", str(target), "--interpreter"])

    main()

    records = [json.loads(line) for line in target.read_text().splitlines()]
    assert len(records) == sum(entry.interpretable for entry in zoo())
    keys = {"id", "python_code", "triton_code", "test_code", "metadata"}
    assert all(set(record) == keys for record in records)
    assert len({record["id"] for record in records}) == len(records)


def _parses(code: Code) -> bool:
    try:
        for field in fields(code):
            ast.parse(getattr(code, field.name))
    except SyntaxError:
        return False
    return True


def _imported(source: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(str(node.module).partition(".")[0])
    return names


def _cases(source: str) -> list[dict[str, object]]:
    """CASES as written, a type of torch's by its name."""
    value = next(
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CASES"
    )
    text = ast.unparse(value).replace("torch.", "")
    for dtype in ("float32", "bfloat16", "float16", "uint8", "int8", "int32", "bool"):
        text = text.replace(f"'dtype': {dtype}", f"'dtype': '{dtype}'")
    cases: list[dict[str, object]] = ast.literal_eval(text)
    return cases


def _sizes(case: dict[str, object]) -> list[int]:
    values = [value for key, value in case.items() if key != "seed"]
    flat = [part for value in values for part in (value if isinstance(value, tuple) else (value,))]
    return [size for size in flat if isinstance(size, int) and not isinstance(size, bool)]
