"""A unit is as strict as its strictest file; a copy is as free as its freest honest copy."""

from functools import cache

from ingest.licenses import (
    Assessment,
    Copy,
    Verdict,
    coverage,
    flagged_copies,
    strictest,
    with_flag,
)
from tests.ingest.licenses.cases import APACHE, BSD_OF_ADA, GPL_HEADER, MIT_OF_ADA, tag
from tests.ingest.licenses.small_repository import assessed, kernel

AT = "kernels/add.py"
FILES: dict[str, dict[str, str | bytes]] = {
    "inherits": {AT: kernel(), "LICENSE": MIT_OF_ADA},
    "states": {AT: kernel(tag("BSD-3-Clause")), "LICENSE": BSD_OF_ADA},
    "blocked": {AT: kernel(GPL_HEADER.replace("General", "Lesser General")), "LICENSE": APACHE},
    "blocked by folder": {AT: kernel(), "LICENSE": "GNU GENERAL PUBLIC LICENSE, Version 3"},
    "silent": {AT: kernel()},
}


@cache
def read(name: str) -> Assessment:
    """Return the assessment of a repository of FILES. The detector takes seconds to load."""
    return assessed(FILES[name])


def test_a_unit_of_permissive_files_combines_their_licenses_with_and() -> None:
    found = strictest([read("inherits"), read("states")])

    assert found.verdict is Verdict.PERMISSIVE
    assert found.expression == "BSD-3-Clause AND MIT"
    assert set(found.copyrights) == {*read("inherits").copyrights, *read("states").copyrights}


def test_one_blocked_file_blocks_the_unit_and_is_named_in_the_reason() -> None:
    found = strictest([read("inherits"), read("blocked"), read("silent")])

    assert found.verdict is Verdict.BLOCKED
    assert "LGPL" in found.reason


def test_one_file_without_a_license_makes_the_unit_unknown() -> None:
    assert strictest([read("inherits"), read("silent")]).verdict is Verdict.UNKNOWN


def test_a_unit_without_files_has_an_unknown_license() -> None:
    assert strictest([]).verdict is Verdict.UNKNOWN


def test_a_copy_of_an_lgpl_kernel_without_a_header_is_flagged_with_a_link() -> None:
    copies = [Copy("a/one", read("inherits")), Copy("b/two", read("blocked"))]

    (flag,) = flagged_copies(copies)

    assert (flag.link, flag.because_of) == ("a/one", "b/two")
    assert with_flag(read("inherits"), flag).verdict is Verdict.CONFLICT
    assert flag.evidence.target == "b/two"


def test_copies_with_two_conflicting_stated_licenses_are_flagged() -> None:
    (flag,) = flagged_copies([Copy("a", read("states")), Copy("b", read("blocked"))])

    assert flag.link == "a"


def test_a_copy_with_a_stated_license_is_not_flagged_for_an_inherited_block() -> None:
    assert read("blocked by folder").verdict is Verdict.BLOCKED
    assert flagged_copies([Copy("a", read("states")), Copy("b", read("blocked by folder"))]) == ()


def test_copies_without_a_blocked_license_are_not_flagged() -> None:
    assert (
        flagged_copies(
            [Copy("a", read("states")), Copy("b", read("inherits")), Copy("c", read("silent"))]
        )
        == ()
    )


def test_license_coverage_is_counted_for_each_category() -> None:
    found = coverage(
        [read("inherits"), read("inherits"), read("states"), read("blocked"), read("silent")]
    )

    assert found == {"valid": 1, "inherited": 2, "unknown": 1, "conflict": 0, "blocked": 1}
