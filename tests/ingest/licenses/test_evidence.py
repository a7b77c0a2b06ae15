"""Every verdict says what it saw, where, and how sure it is."""

from ingest.licenses.records import ReadFrom, Verdict
from tests.ingest.licenses.cases import APACHE_HEADER, GPL, MIT_OF_ADA, tag
from tests.ingest.licenses.small_repository import assessed, kernel

AT = "kernels/add.py"


def test_license_evidence_quotes_the_matched_lines() -> None:
    found = assessed({AT: kernel("\n" + tag("MIT"))})

    (evidence,) = found.evidence
    assert (evidence.path, evidence.start_line, evidence.end_line) == (AT, 2, 2)
    assert evidence.matched_text == "# SPDX-License-Identifier: MIT"
    assert evidence.confidence == 1.0
    assert evidence.detector == "spdx-tag"


def test_a_header_is_quoted_with_its_holder_and_the_rule_that_matched() -> None:
    found = assessed({AT: kernel(APACHE_HEADER)})

    evidence = found.evidence[0]
    assert evidence.matched_text.startswith("# Licensed under the Apache License")
    assert evidence.copyrights == ("Copyright 2024 The Authors.",)
    assert evidence.detector.startswith("scancode-toolkit-mini ")
    assert ".RULE" in evidence.detector


def test_license_evidence_is_ordered_by_strength() -> None:
    found = assessed({AT: kernel(APACHE_HEADER + "\n\n" + tag("MIT")), "LICENSE": MIT_OF_ADA})

    order = list(ReadFrom)
    places = [order.index(e.read_from) for e in found.evidence]
    assert places == sorted(places)


def test_a_conflict_between_two_permissive_licenses_is_noted() -> None:
    found = assessed({AT: kernel(APACHE_HEADER), "LICENSE": MIT_OF_ADA})

    assert found.verdict is Verdict.PERMISSIVE
    assert any("Apache-2.0" in note and "MIT" in note for note in found.notes)


def test_third_party_licenses_in_a_license_file_are_noted_and_do_not_count() -> None:
    text = f"{MIT_OF_ADA}\n\nThird-party software: this repository bundles glib.\n\n{GPL}"

    found = assessed({AT: kernel(), "LICENSE": text})

    shown = [e for e in found.evidence if e.expression == "GPL-3.0-only"]
    assert shown
    assert not any(e.counts for e in shown)
    assert any("GPL-3.0-only" in note for note in found.notes)


def test_a_stated_origin_is_noted_with_its_url() -> None:
    found = assessed({AT: kernel("# Adapted from https://github.com/example/kernels.\n")})

    (evidence,) = found.evidence
    assert evidence.read_from is ReadFrom.PROVENANCE
    assert evidence.target == "https://github.com/example/kernels"
    assert any("https://github.com/example/kernels" in note for note in found.notes)


def test_copyright_lines_are_stored_for_the_notice() -> None:
    found = assessed({AT: kernel("# Copyright (c) 2024 Grace Hopper\n"), "LICENSE": MIT_OF_ADA})

    assert found.copyrights == (
        "Copyright (c) 2024 Grace Hopper",
        "Copyright (c) 2023 Ada Lovelace",
    )
