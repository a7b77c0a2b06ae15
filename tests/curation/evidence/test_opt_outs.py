"""Somebody's wish to be left out: which places it covers, and what it does to a kernel."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.evidence.opt_outs import mark_opted_out, opted_out
from curation.models import Kernel, OptOut, Provenance
from tests.factories import a_provenance, a_repository, a_source_file, an_opt_out

pytestmark = pytest.mark.django_db


def a_place(name: str = "ada/kernels", path: str = "ops/add.py", *copyrights: str) -> Provenance:
    file = a_source_file(repository=a_repository(name=name), path=path)
    return a_provenance(source_file=file, copyrights=list(copyrights))


def covers(place: Provenance) -> bool:
    mark_opted_out(Provenance.objects.all())
    place.refresh_from_db()
    held = Kernel.objects.filter(opted_out()).exists()
    assert held is place.opted_out
    return held


@pytest.mark.parametrize(
    ("path", "covered"),
    [
        ("ops/add.py", True),
        ("ops/", True),
        ("ops/*.py", True),
        ("*add*", True),
        ("op", False),
        ("add.py", False),
        ("ops/add.p", False),
    ],
)
def test_a_path_is_a_file_a_folder_or_a_pattern(path: str, covered: bool) -> None:
    place = a_place()
    an_opt_out(author="", repository=place.source_file.repository, path=path)

    assert covers(place) is covered


def test_an_opt_out_of_a_path_covers_only_its_repository() -> None:
    place = a_place()
    an_opt_out(author="", repository=a_repository(name="bob/kernels"), path="ops/")

    assert not covers(place)


@pytest.mark.parametrize(
    ("author", "covered"),
    [("Ada Lovelace", True), ("ada", True), ("ADA", True), ("Lovel", False), ("kernels", False)],
)
def test_an_author_opt_out_matches_owners_and_whole_copyright_words(
    author: str, covered: bool
) -> None:
    place = a_place("ada/kernels", "add.py", "Copyright (c) 2024 Ada Lovelace and others")
    an_opt_out(author=author)

    assert covers(place) is covered


def test_a_lifted_opt_out_no_longer_covers_the_kernel() -> None:
    place = a_place()
    an_opt_out(author="ada")
    assert covers(place)
    OptOut.objects.update(lifted_at=timezone.now())

    assert not covers(place)


def test_an_opted_out_repository_excludes_its_kernels_without_a_mark() -> None:
    place = a_place()
    repository = place.source_file.repository
    repository.opted_out_at = timezone.now()
    repository.save()

    assert Kernel.objects.filter(opted_out()).get() == place.kernel


def test_a_curator_can_add_and_lift_an_opt_out_in_the_admin(browser: Client, curator: User) -> None:
    place = a_place()
    added = browser.post(
        reverse("admin:curation_optout_add"), {"author": "ada", "reason": "A letter."}, follow=True
    )

    assert "1 places of kernels are excluded" in added.content.decode()
    place.refresh_from_db()
    assert place.opted_out
    assert OptOut.objects.get().created_by == curator

    browser.post(
        reverse("admin:curation_optout_changelist"),
        {"action": "lift", "_selected_action": OptOut.objects.get().pk},
    )
    place.refresh_from_db()
    assert not place.opted_out


def test_an_opt_out_without_a_target_is_refused_with_a_hint(browser: Client) -> None:
    page = browser.post(reverse("admin:curation_optout_add"), {"reason": "A letter."})

    assert "Name a repository and a path of it, or an author." in page.content.decode()
