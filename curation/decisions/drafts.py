"""Draft actions: save, dismiss, convert to a pair."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from curation.decisions.editing import PairTexts
from curation.errors import CurationError
from curation.models import Draft, DraftState, Pair, Role
from curation.pairs.store import store_by
from curation.pairs.unfinished import as_pair, move


class StaleDraft(CurationError):
    """The draft has changed since the page was rendered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Input of a person."""

    texts: PairTexts
    operation_type: str
    difficulty: str
    differentiable: bool


def save(*, draft: Draft, version: int, edit: Edit, user: User, state: DraftState) -> Draft:
    """Save the input of a person, complete or not."""
    if draft.state == DraftState.FINISHED:
        raise CurationError("This draft was converted: edit its pair.")
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
        raise StaleDraft("This draft was changed since you opened the page.")
    return Draft.objects.select_related("repository", "edited_by").get(pk=draft.pk)


def finish(*, draft: Draft, author: User) -> Pair:
    """Convert a draft into a pair. Its author may not decide on it."""
    source = draft.repository
    if source.opted_out or source.role == Role.BENCHMARK:
        raise CurationError(
            f"{source} is opted out or a benchmark, so its drafts can't be converted."
        )
    with transaction.atomic():
        pair = store_by(author, as_pair(draft))
        if not move(draft, state=DraftState.FINISHED, pair=pair, edited_by=author):
            raise StaleDraft("Another user has just changed this draft.")
    return pair
