"""A content is read once: what was found is kept by blob hash, and says the same again."""

import pytest

from ingest.confined.values import from_json, read_json, to_json
from ingest.licenses import LicenseReader, read_tree
from ingest.licenses.detector import Match
from ingest.licenses.reader import git_blob_hash
from ingest.licenses.records import Findings
from tests.ingest.licenses.cases import APACHE_HEADER, MIT_OF_ADA
from tests.ingest.licenses.small_repository import MemoryTree, kernel, reader


class CountingDetector:
    """Finds nothing, and counts how often it was asked."""

    name = "counting"

    def __init__(self) -> None:
        self.asked = 0

    def match(self, text: str, *, approximate: bool = True) -> list[Match]:
        self.asked += 1
        return []


def test_a_cached_license_reading_does_not_call_the_detector() -> None:
    detector, kept = CountingDetector(), dict[str, str]()
    first = LicenseReader(detector, kept).read("a.py", kernel(APACHE_HEADER))
    asked = detector.asked

    again = LicenseReader(detector, kept).read("b/c.py", kernel(APACHE_HEADER))

    assert again == first
    assert detector.asked == asked > 0


def test_a_file_without_license_words_does_not_call_the_detector() -> None:
    detector = CountingDetector()

    LicenseReader(detector).read("a.py", kernel("# The limit of a commit is a primitive.\n"))

    assert detector.asked == 0


@pytest.mark.slow
def test_license_findings_round_trip_through_json() -> None:
    found = reader().read("a.py", kernel(APACHE_HEADER))

    assert found.statements
    assert from_json(Findings, read_json(to_json(found))) == found


def test_a_text_and_its_bytes_have_the_same_blob_hash() -> None:
    assert git_blob_hash("é") == git_blob_hash("é".encode())
    assert git_blob_hash(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_equal_license_files_of_a_tree_are_read_once() -> None:
    detector, kept = CountingDetector(), dict[str, str]()
    tree = MemoryTree({"LICENSE": MIT_OF_ADA.encode(), "a/LICENSE": MIT_OF_ADA.encode()})

    read_tree(tree, LicenseReader(detector, kept))

    assert len(kept) == 1
