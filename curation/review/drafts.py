"""What people do with drafts: write on, set aside, finish."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from curation.errors import CurationError
from curation.models import Draft, DraftState, Pair, Role
from curation.pairs.store import store_by
from curation.pairs.unfinished import as_pair, move
from curation.review.editing import Texts


class Stale(CurationError):
    """The draft is another one than the page was made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What a person writes."""

    texts: Texts
    operation_type: str
    difficulty: str
    differentiable: bool


def save(*, draft: Draft, version: int, edit: Edit, user: User, state: DraftState) -> Draft:
    """Keep what a person has written, whole or not."""
    if draft.state == DraftState.FINISHED:
        raise CurationError("This draft has become a pair: edit the pair.")
    texts = edit.texts.storable()
    if draft.version != version or not move(
        draft,
        state=state,
        python_code=texts.python_code,
        triton_code=texts.triton_code,
        test_code=texts.test_code,
        operation_type=edit.operation_type,
        difficulty=edit.difficulty,
        differentiable=edit.differentiable,
        edited_by=user,
    ):
        raise Stale("This draft has been changed since your page was made.")
    return Draft.objects.select_related("repository", "edited_by").get(pk=draft.pk)


def finish(*, draft: Draft, author: User) -> Pair:
    """The pair of a draft as it stands; nobody decides on their own."""
    source = draft.repository
    if source.opted_out or source.role == Role.BENCHMARK:
        raise CurationError(f"Nothing is made from {source}: it was opted out or is a benchmark.")
    with transaction.atomic():
        pair = store_by(author, as_pair(draft))
        if not move(draft, state=DraftState.FINISHED, pair=pair, edited_by=author):
            raise Stale("Somebody else has just changed this draft.")
    return pair
