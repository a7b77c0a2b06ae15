"""Copy flags: kernels that may copy a blocked kernel without its license header."""

from collections.abc import Mapping
from functools import partial

from django.db.models import Q

from curation.evidence.item_facts import ItemFacts
from curation.evidence.neighborhood import Member, Neighborhood
from curation.models import CopyFlag, LicenseVerdict


def renew_flags(around: Neighborhood, before: Mapping[int, ItemFacts]) -> None:
    """Recompute the flags of kernels whose facts changed, and flags that refer to these kernels."""
    keys = sorted(before)
    stale = [key for key in keys if before[key].placed]
    if stale:
        CopyFlag.objects.filter(Q(kernel__among=stale) | Q(blocked__among=stale)).delete()
    flags: dict[tuple[int, int], CopyFlag] = {}
    for key in keys:
        member = around[key]
        if not member.item_facts.placed:
            continue
        for duplicate in around.among(key, partial(_puts_into_doubt, member)):
            kernel, blocked = (duplicate.key, key) if _is_blocked(member) else (key, duplicate.key)
            flags[kernel, blocked] = CopyFlag(
                kernel_id=kernel,
                blocked_id=blocked,
                likeness=duplicate.likeness,
                similarity=duplicate.similarity,
            )
    CopyFlag.objects.bulk_create(flags[pair] for pair in sorted(flags))


def _puts_into_doubt(member: Member, other: Member) -> bool:
    """Return True if one of two kernels is blocked, and the other kernel's license is in doubt.

    It is in doubt if the kernel's text does not state it. It is also in doubt if both texts state a
    license, because a person must then decide which author is right.
    """
    if _is_blocked(member) == _is_blocked(other):
        return False
    blocked, free = (member, other) if _is_blocked(member) else (other, member)
    return not free.item_facts.license_stated or blocked.item_facts.license_stated


def _is_blocked(member: Member) -> bool:
    return member.item_facts.license_verdict == LicenseVerdict.BLOCKED
