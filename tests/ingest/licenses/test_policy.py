"""The policy is data: what it permits, what it blocks, and that it is sound."""

import pytest

from ingest.licenses.blocks import BlockKind
from ingest.licenses.expressions import normalize
from ingest.licenses.phrases import restrictions
from ingest.licenses.policy import load_policy
from ingest.licenses.records import Verdict
from ingest.licenses.windows import Window
from tests.ingest.licenses.small_repository import text_of

POLICY = load_policy()
FILE_OF = {"BSD-2-Clause": "bsd-simplified", "BSD-3-Clause": "bsd-new", "BSL-1.0": "boost-1.0",
           "0BSD": "bsd-zero", "NCSA": "uoi-ncsa", "HPND": "historical", "X11": "x11-xconsortium",
           "BSD-3-Clause-Clear": "clear-bsd", "BSD-2-Clause-Patent": "bsd-plus-patent",
           "BSD-Source-Code": "bsd-source-code", "blessing": "blessing", "Python-2.0": "python",
           "PSF-2.0": "psf-2.0", "Zlib": "zlib", "PostgreSQL": "postgresql"}  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("MIT", Verdict.PERMISSIVE),
        ("BSL-1.0", Verdict.PERMISSIVE),
        ("BUSL-1.1", Verdict.BLOCKED),
        ("CC-BY-NC-SA-4.0", Verdict.BLOCKED),
        ("CC-BY-SA-4.0", Verdict.BLOCKED),
        ("CC-BY-4.0", Verdict.UNKNOWN),
        ("Elastic-2.0", Verdict.BLOCKED),
        ("LicenseRef-scancode-commons-clause", Verdict.BLOCKED),
        ("EPL-2.0 OR MIT", Verdict.PERMISSIVE),
        ("EPL-2.0 AND MIT", Verdict.BLOCKED),
        ("CC-BY-4.0 OR GPL-3.0-only", Verdict.UNKNOWN),
        ("GPL-3.0-only WITH GCC-exception-3.1", Verdict.BLOCKED),
        ("MIT WITH LLVM-exception", Verdict.PERMISSIVE),
        ("MIT WITH Bison-exception-2.2", Verdict.UNKNOWN),
        ("LLVM-exception", Verdict.UNKNOWN),
        ("no licence at all", Verdict.UNKNOWN),
        ("", Verdict.UNKNOWN),
        (None, Verdict.UNKNOWN),
    ],
)
def test_the_policy_gives_each_expression_its_verdict(
    expression: str | None, verdict: Verdict
) -> None:
    assert POLICY.verdict(expression) is verdict


def test_every_permitted_id_is_an_spdx_id_with_a_reason() -> None:
    for key, reason in {**POLICY.permissive, **POLICY.exceptions}.items():
        assert normalize(key) == key
        assert reason.endswith((".", ".)"))


@pytest.mark.parametrize("key", sorted(POLICY.permissive))
def test_no_permitted_license_text_is_read_as_a_restriction(key: str) -> None:
    lines = tuple(text_of(FILE_OF.get(key, key.lower())).split("\n"))

    found = restrictions(Window(BlockKind.TEXT, 1, lines, True))

    assert not found


def test_a_permission_for_all_uses_is_not_a_restriction() -> None:
    line = "Free for commercial and non-commercial use; non-commercial or commercial alike."

    assert not restrictions(Window(BlockKind.TEXT, 1, (line,), True))
