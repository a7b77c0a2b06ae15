"""A unit is as strict as its strictest file."""

from functools import cache

from ingest.licenses import Assessment, Verdict, strictest
from tests.ingest.licenses.cases import APACHE, BSD_OF_ADA, GPL_HEADER, MIT_OF_ADA, tag
from tests.ingest.licenses.small_repository import assessed, kernel

AT = "kernels/add.py"
FILES: dict[str, dict[str, str | bytes]] = {
    "inherits": {AT: kernel(), "LICENSE": MIT_OF_ADA},
    "states": {AT: kernel(tag("BSD-3-Clause")), "LICENSE": BSD_OF_ADA},
    "blocked": {AT: kernel(GPL_HEADER.replace("General", "Lesser General")), "LICENSE": APACHE},
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
