"""A headerless copy of a kernel under a blocked licence is flagged, with a link to it."""

from __future__ import annotations

from typing import Any

import pytest

from curation.evidence.refresh import refresh_similarity
from curation.models import CopyFlag, Kernel, LicenseVerdict, Status
from tests import factories as make
from tests.curation.evidence.shelf import put
from tests.curation.similarity.kernels import SOFTMAX, renamed, unrelated

pytestmark = pytest.mark.django_db

COPY = renamed(SOFTMAX).replace("n_rows_renamed,)", "n_rows_renamed, 1)")
PERMISSIVE, BLOCKED = LicenseVerdict.PERMISSIVE, LicenseVerdict.BLOCKED
UNKNOWN = LicenseVerdict.UNKNOWN


def blocked(**over: Any) -> Kernel:
    gpl = make.a_license(expression="GPL-3.0-only", verdict=BLOCKED)
    return put(SOFTMAX, license_verdict=BLOCKED, license=gpl, **{"inherited": False, **over})


@pytest.mark.parametrize("blocked_first", [True, False])
@pytest.mark.parametrize("verdict", [PERMISSIVE, UNKNOWN])
def test_a_copy_without_its_own_license_statement_is_flagged(
    verdict: str, blocked_first: bool
) -> None:
    if blocked_first:
        original = blocked()
        refresh_similarity()
    copy = put(COPY, license_verdict=verdict)
    refresh_similarity()
    if not blocked_first:
        original = blocked()
        refresh_similarity()

    flag = CopyFlag.objects.get(kernel=copy)
    assert (flag.blocked, str(flag.blocked.license)) == (original, "GPL-3.0-only")
    assert flag.similarity >= 0.7
    assert not CopyFlag.objects.filter(kernel=original).exists()


@pytest.mark.parametrize(("blocked_inherits", "flags"), [(True, 0), (False, 1)])
def test_a_copy_with_its_own_license_is_flagged_only_against_a_stated_license(
    blocked_inherits: bool, flags: int
) -> None:
    blocked(inherited=blocked_inherits)
    put(COPY, license_verdict=PERMISSIVE, inherited=False)

    refresh_similarity()

    assert CopyFlag.objects.count() == flags


def test_unrelated_kernels_are_not_flagged() -> None:
    blocked()
    put(unrelated(1), license_verdict=PERMISSIVE)

    refresh_similarity()

    assert not CopyFlag.objects.exists()


def test_a_copy_flag_follows_the_license_verdict_of_the_original() -> None:
    original, copy = blocked(), put(COPY, license_verdict=PERMISSIVE)
    refresh_similarity()
    assert CopyFlag.objects.exists()

    Kernel.objects.filter(pk=original.pk).update(license_verdict=UNKNOWN)
    refresh_similarity()
    assert not CopyFlag.objects.exists()

    Kernel.objects.filter(pk=original.pk).update(license_verdict=BLOCKED)
    refresh_similarity()
    assert CopyFlag.objects.filter(kernel=copy).exists()

    Kernel.objects.filter(pk=copy.pk).update(status=Status.RETIRED)
    refresh_similarity()
    assert not CopyFlag.objects.exists()


def test_a_copy_is_flagged_even_if_another_kernel_represents_it() -> None:
    original = blocked(stars=9)
    copies = [put(f"# {n}\n{COPY}", license_verdict=PERMISSIVE, stars=n) for n in range(3)]

    refresh_similarity()

    assert set(CopyFlag.objects.values_list("kernel", "blocked")) == {
        (copy.pk, original.pk) for copy in copies
    }
