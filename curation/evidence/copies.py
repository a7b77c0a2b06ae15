"""Licences across near copies: whoever took a blocked kernel and its header away is flagged."""

from collections.abc import Mapping
from functools import partial

from django.db.models import Q, QuerySet

from curation.evidence.neighbourhood import Member, Neighbourhood
from curation.evidence.standing import Standing
from curation.evidence.subjects import chunks
from curation.models import CopyFlag, Kernel, LicenseVerdict


def copies_under_blocked(kernel: Kernel) -> QuerySet[CopyFlag]:
    """Where the same or nearly the same kernel is under a blocked licence, the likest first."""
    return CopyFlag.objects.filter(kernel=kernel).select_related("blocked__license")


def renew_flags(around: Neighbourhood, before: Mapping[int, Standing]) -> None:
    """Write anew the flags on kernels that stood otherwise before, and those because of them."""
    keys = sorted(before)
    for chunk in chunks(key for key in keys if before[key].placed):
        CopyFlag.objects.filter(Q(kernel__among=chunk) | Q(blocked__among=chunk)).delete()
    flags: dict[tuple[int, int], CopyFlag] = {}
    for key in keys:
        one = around[key]
        if not one.standing.placed:
            continue
        for twin in around.among(key, partial(_puts_into_doubt, one)):
            kernel, blocked = (twin.key, key) if _is_blocked(one) else (key, twin.key)
            flags[kernel, blocked] = CopyFlag(
                kernel_id=kernel,
                blocked_id=blocked,
                likeness=twin.likeness,
                similarity=twin.similarity,
            )
    CopyFlag.objects.bulk_create(flags[pair] for pair in sorted(flags))


def _puts_into_doubt(one: Member, other: Member) -> bool:
    """Whether one of the two is blocked, and the other not sure of its own licence.

    A kernel whose own text permits it is in doubt as well where the blocked one's own text says
    otherwise: of two authors who both say that it is theirs, a person must choose.
    """
    if _is_blocked(one) == _is_blocked(other):
        return False
    blocked, free = (one, other) if _is_blocked(one) else (other, one)
    return not free.standing.license_stated or blocked.standing.license_stated


def _is_blocked(member: Member) -> bool:
    return member.standing.license_verdict == LicenseVerdict.BLOCKED
