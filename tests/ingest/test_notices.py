"""What must travel with a kernel: its copyright lines, its licence files, and where it is from."""

from pathlib import Path

import pytest
from django.core.management import call_command

from curation.evidence.places import KernelPlace, places_of
from curation.evidence.sources import every_source
from curation.export.notices import texts_named
from curation.models import Kernel, License, Provenance
from ingest.licenses.standard_texts import standard_text
from tests.conftest import commit
from tests.factories import a_kernel, a_license, a_provenance, a_repository, a_source_file
from tests.ingest.licenses.cases import MIT_OF_ADA

pytestmark = pytest.mark.django_db


def read(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    commit(folder)
    call_command("ingest", str(folder), "--now", verbosity=0)


def preferred(kernel: Kernel) -> KernelPlace:
    """Return the place that a kernel is exported from."""
    return places_of([kernel.pk], every_source())[kernel.pk][0]


def test_the_license_and_notice_files_above_a_kernel_are_included(kernel_folder: Path) -> None:
    notice = "This product includes work of Grace.\n"
    read(kernel_folder, {"LICENSE": MIT_OF_ADA, "NOTICE": notice})

    place = preferred(Kernel.objects.get())
    names = dict(place.terms.texts)
    texts = texts_named(names.values())

    assert place.expression == "MIT"
    assert "Ada" in place.terms.copyrights[0]
    assert {name: texts[sha256] for name, sha256 in names.items()} == {
        "LICENSE": MIT_OF_ADA,
        "NOTICE": notice,
    }


def test_ingesting_again_does_not_change_the_notices(kernel_folder: Path) -> None:
    read(kernel_folder, {"LICENSE": MIT_OF_ADA})
    before = list(Provenance.objects.values())
    call_command("ingest", str(kernel_folder), "--now", "--again", verbosity=0)

    assert list(Provenance.objects.values()) == before


def test_the_notice_comes_from_the_permissive_place_with_the_most_stars() -> None:
    mit, kernel = a_license(expression="MIT"), a_kernel()
    for stars, verdict in ((5, "permissive"), (900, "permissive"), (5_000, "unknown")):
        a_provenance(
            kernel=kernel,
            source_file=a_source_file(repository=a_repository(stars=stars)),
            license=mit,
            license_verdict=verdict,
            copyrights=[f"Copyright of {stars}"],
        )

    assert preferred(kernel).terms.copyrights == ("Copyright of 900",)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("BSD-3-Clause", "Neither the name of"),
        ("MIT OR Apache-2.0", "Apache License"),
        ("Apache-2.0 WITH LLVM-exception", "LLVM"),
        ("LicenseRef-nobody-knows", ""),
    ],
)
def test_a_license_expression_gives_the_texts_of_all_its_licenses(
    expression: str, words: str
) -> None:
    text = standard_text(expression)

    assert words in text
    assert bool(text) is bool(words)


def test_a_license_row_stores_its_standard_text(kernel_folder: Path) -> None:
    read(kernel_folder, {"LICENSE": MIT_OF_ADA})

    assert License.objects.get().text == standard_text("MIT")
