"""The stage speaks the words that the database knows, without importing it."""

import pytest

from ingest.licenses.records import ReadFrom, Verdict


def test_the_license_vocabulary_equals_that_of_the_database() -> None:
    license_model = pytest.importorskip("curation.models.licenses")
    vocabulary = pytest.importorskip("curation.models.vocabulary")

    assert [word.value for word in ReadFrom] == list(license_model.ReadFrom.values)
    assert {word.value for word in Verdict} == set(vocabulary.LicenseVerdict.values)
