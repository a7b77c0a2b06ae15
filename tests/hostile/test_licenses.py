"""No text makes the licence stage crash, hang, or permit what nothing permits."""

import subprocess
import sys
import sysconfig
import time
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from license_expression import get_license_index

from ingest.licenses import (
    Assessment,
    Evidence,
    LicenseReader,
    ReadFrom,
    TreeLicenses,
    Verdict,
    assess,
    strictest,
)
from ingest.licenses.expressions import normalize
from ingest.licenses.policy import load_policy
from ingest.licenses.records import STRICTNESS
from ingest.licenses.reuse import annotations
from ingest.licenses.windows import windows
from tests.ingest.licenses.cases import APACHE_HEADER, GPL, GPL_HEADER, META, MIT
from tests.ingest.licenses.small_repository import (
    assessed,
    commented,
    detector,
    kernel,
    reader,
    text_of,
)

WORDS = st.sampled_from(
    ["#", "'''", '"""', "\\", "\n", " ", "(", ")", "SPDX-License-Identifier:", "MIT", "GPL-3.0",
     "OR", "AND", "WITH", "LLVM-exception", "license", "LICENSE", "see", "found in the",
     "Copyright", "(c)", "2024", "All rights reserved", "adapted from", "Apache",
     "https://github.com/a/b",
     "Permission is hereby granted", "non-commercial", "only", "x = 1", "def f():", "\t", "é", "\0",
     "\ud800", "under the", "BSD", "CC BY-NC", "SPDX-FileCopyrightText:"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=60).map(" ".join))
BLOCKED_KEYS = [
    entry["license_key"]
    for entry in get_license_index()
    if load_policy().verdict(entry["spdx_license_key"]) is Verdict.BLOCKED
    and not entry["is_exception"]
    and not entry["is_deprecated"]
][::50]
FEW = settings(max_examples=60)


@pytest.mark.slow
@FEW
@given(text=TEXTS, path=st.sampled_from(["a.py", "a/b.pyi", "notes.md", "", "a\n.py"]))
def test_any_text_is_assessed_and_permissive_only_with_a_license(text: str, path: str) -> None:
    found = assess(path, text, TreeLicenses(), reader())

    assert found.reason
    assert found.verdict is not Verdict.PERMISSIVE or found.expression is not None
    assert found.verdict is not Verdict.PERMISSIVE or (
        load_policy().verdict(found.expression) is Verdict.PERMISSIVE
    )


@FEW
@given(data=st.binary(max_size=400))
def test_any_bytes_get_a_license_assessment(data: bytes) -> None:
    assert assessed({"a.py": data, "LICENSE": data, "README": data}, "a.py").reason


@pytest.mark.slow
@FEW
@given(text=TEXTS)
def test_a_blocked_license_header_is_not_hidden_by_text_before_it(text: str) -> None:
    quiet = "".join(f"# {line}\n" for line in text.splitlines())

    found = assessed({"a.py": quiet + "\n\n\n" + GPL_HEADER, "LICENSE": MIT}, "a.py")

    assert found.verdict in {Verdict.BLOCKED, Verdict.UNKNOWN}


@given(text=st.one_of(st.text(max_size=100), st.lists(WORDS, max_size=20).map(" ".join)))
def test_normalizing_license_text_is_idempotent(text: str) -> None:
    normal = normalize(text)

    assert normal is None or normalize(normal) == normal


@given(text=st.text(max_size=400), name=st.sampled_from(["REUSE.toml", ".reuse/dep5"]))
def test_any_reuse_file_can_be_parsed(text: str, name: str) -> None:
    assert isinstance(annotations(name, text), tuple)


ASSESSMENTS = st.builds(
    Assessment,
    path=st.sampled_from(["a.py", "b.py"]),
    expression=st.sampled_from(["MIT", "Apache-2.0", "GPL-3.0-only", None]),
    verdict=st.sampled_from(list(Verdict)),
    inherited=st.booleans(),
    reason=st.sampled_from(["It says so.", "It does not."]),
    evidence=st.just(()) | st.just((
        Evidence(ReadFrom.HEADER, "MIT", Verdict.PERMISSIVE, "a.py", 1, 1, "", (), 1.0, "x"),)),
    notes=st.just(()),
    copyrights=st.sampled_from([(), ("Ada",), ("Grace", "Ada")]),
)  # fmt: skip


@given(each=st.lists(ASSESSMENTS, max_size=6), data=st.data())
def test_the_strictest_assessment_does_not_depend_on_the_order(
    each: list[Assessment], data: st.DataObject
) -> None:
    assert strictest(each) == strictest(data.draw(st.permutations(each)))


def test_a_permissive_verdict_without_a_license_counts_as_unknown() -> None:
    nameless, named = (
        Assessment("a.py", expression, Verdict.PERMISSIVE, False, "It says so.", (), (), ())
        for expression in (None, "MIT")
    )

    assert strictest([nameless]).verdict is Verdict.UNKNOWN
    assert strictest([nameless, named]).verdict is Verdict.UNKNOWN


@given(each=st.lists(ASSESSMENTS, min_size=1, max_size=6), more=ASSESSMENTS)
def test_adding_a_file_never_relaxes_the_license_verdict_of_a_unit(
    each: list[Assessment], more: Assessment
) -> None:
    before, after = strictest(each).verdict, strictest([*each, more]).verdict

    assert STRICTNESS.index(after) >= STRICTNESS.index(before)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("2 MB of licence words", "# license copyright GPL redistribute\n" * 54_000),
        ("2 MB in one line", "# " + "license copyright redistribute " * 64_000),
        ("a comment of 300 KB", commented(GPL * 9)),
        ("notices without end", APACHE_HEADER * 1_500),
        ("pointers without end", META * 4_000),
        ("deep nesting", "(" * 500_000 + "# license\n" + ")" * 500_000),
        ("a quote that never ends", "x = 1\n'''" + "license \\" * 100_000),
        ("backslashes before a quote", "'''" + "\\" * 300_000 + "'''\n# license"),
        ("quotes and nothing else", "'" * 300_001 + "license"),
        ("an expression without end", "# SPDX-License-Identifier: " + "(MIT OR " * 20_000),
        ("tags without end", "# SPDX-License-Identifier: MIT AND\n" * 20_000),
        ("paths without end", "# see the " + "a/" * 100_000 + "LICENSE file"),
        ("years without end", "# Copyright (c) " + "2024, " * 50_000 + "license"),
        ("spaces without end", "# license" + " " * 500_000 + "x"),
        ("blocks without end", "# license\nx = 1\n" * 60_000),
    ],
    ids=lambda value: value if len(value) < 40 else "",
)
def test_the_license_of_a_huge_file_is_read_in_bounded_time(name: str, text: str) -> None:
    reader().read("warm.py", kernel(APACHE_HEADER))
    started = time.process_time()

    found = assess("a.py", text, TreeLicenses(), LicenseReader(detector()))

    assert found.reason
    assert time.process_time() - started < 30, name


def test_a_truncated_file_is_reported_and_not_permissive() -> None:
    text = "".join(f"{APACHE_HEADER}\nx{n} = 1\n" for n in range(400)) + GPL_HEADER

    found = assess("a.py", text, TreeLicenses(), reader())

    assert found.verdict is Verdict.UNKNOWN
    assert any("were read" in note for note in found.notes)


@pytest.mark.slow
@pytest.mark.parametrize("key", BLOCKED_KEYS)
def test_no_blocked_license_text_is_accepted_in_a_license_file(key: str) -> None:
    found = assessed({"a.py": kernel(), "LICENSE": text_of(key)}, "a.py")

    assert found.verdict in {Verdict.BLOCKED, Verdict.UNKNOWN}


@pytest.mark.slow
def test_the_licenses_of_the_standard_library_are_read_without_a_crash() -> None:
    sources = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    for path in islice(sources, 0, None, 5):
        data = path.read_bytes()
        windows(path.name, data.decode("utf-8", "replace"))
        found = assess(path.name, data, TreeLicenses(), reader())
        assert found.verdict is not Verdict.PERMISSIVE or found.expression is not None


def test_the_license_package_does_not_import_django() -> None:
    code = "import ingest.licenses, sys; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
