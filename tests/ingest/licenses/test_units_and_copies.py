"""A unit is as strict as its strictest file; a copy is as free as its freest honest copy."""

from ingest.licenses import Copy, Verdict, coverage, flagged_copies, strictest, with_flag
from tests.ingest.licenses.cases import APACHE, BSD_OF_ADA, GPL_HEADER, MIT_OF_ADA, tag
from tests.ingest.licenses.small_repository import assessed, kernel

AT = "kernels/add.py"
INHERITS = assessed({AT: kernel(), "LICENSE": MIT_OF_ADA})
STATES = assessed({AT: kernel(tag("BSD-3-Clause")), "LICENSE": BSD_OF_ADA})
BLOCKED = assessed({AT: kernel(GPL_HEADER.replace("General", "Lesser General")), "LICENSE": APACHE})
BLOCKED_BY_FOLDER = assessed({AT: kernel(), "LICENSE": "GNU GENERAL PUBLIC LICENSE, Version 3"})
SILENT = assessed({AT: kernel()})


def test_a_unit_of_permissive_files_needs_all_their_licences() -> None:
    found = strictest([INHERITS, STATES])

    assert found.verdict is Verdict.PERMISSIVE
    assert found.expression == "BSD-3-Clause AND MIT"
    assert set(found.copyrights) == {*INHERITS.copyrights, *STATES.copyrights}


def test_one_blocked_file_blocks_the_unit_and_is_named() -> None:
    found = strictest([INHERITS, BLOCKED, SILENT])

    assert found.verdict is Verdict.BLOCKED
    assert "LGPL" in found.reason


def test_one_silent_file_leaves_the_unit_unknown() -> None:
    assert strictest([INHERITS, SILENT]).verdict is Verdict.UNKNOWN


def test_a_unit_of_no_file_is_unknown() -> None:
    assert strictest([]).verdict is Verdict.UNKNOWN


def test_a_headerless_copy_of_an_lgpl_kernel_is_flagged_with_a_link() -> None:
    copies = [Copy("a/one", INHERITS), Copy("b/two", BLOCKED)]

    (flag,) = flagged_copies(copies)

    assert (flag.link, flag.because_of) == ("a/one", "b/two")
    assert with_flag(INHERITS, flag).verdict is Verdict.CONFLICT
    assert flag.evidence.target == "b/two"


def test_two_authors_who_both_say_that_it_is_theirs_are_shown_to_a_person() -> None:
    (flag,) = flagged_copies([Copy("a", STATES), Copy("b", BLOCKED)])

    assert flag.link == "a"


def test_a_copy_with_its_own_licence_outlives_one_that_inherited_a_blocked_one() -> None:
    assert BLOCKED_BY_FOLDER.verdict is Verdict.BLOCKED
    assert flagged_copies([Copy("a", STATES), Copy("b", BLOCKED_BY_FOLDER)]) == ()


def test_copies_without_a_blocked_one_are_left_alone() -> None:
    assert flagged_copies([Copy("a", STATES), Copy("b", INHERITS), Copy("c", SILENT)]) == ()


def test_coverage_counts_each_category() -> None:
    found = coverage([INHERITS, INHERITS, STATES, BLOCKED, SILENT])

    assert found == {"valid": 1, "inherited": 2, "unknown": 1, "conflict": 0, "blocked": 1}
