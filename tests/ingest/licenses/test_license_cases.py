"""Every licence case is judged right, and none of the blocked ones passes."""

import pytest

from tests.ingest.licenses.cases import CASES, Case
from tests.ingest.licenses.small_repository import assessed


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_license_case_gets_its_expected_verdict(case: Case) -> None:
    found = assessed(case.files, case.path)

    assert found.verdict is case.verdict, found.reason
    if case.expression is not None:
        assert found.expression == case.expression, found.reason
    if case.read_from is not None:
        assert next(e for e in found.evidence if e.counts).read_from is case.read_from
    if case.inherited is not None:
        assert found.inherited is case.inherited
    assert found.reason.endswith("."), found.reason
