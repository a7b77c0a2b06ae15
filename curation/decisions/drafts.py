"""Draft actions: save, dismiss, convert to a pair."""

from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from curation.decisions.editing import PairTexts
from curation.errors import CurationError
from curation.models import Draft, DraftState, Pair, Role
from curation.pairs.store import store_by
from curation.pairs.unfinished import as_pair, move


class StaleDraft(CurationError):
    """An error because the draft has changed since the page was rendered."""


def save(
    *, draft: Draft, version: int, texts: PairTexts, user: User, state: DraftState, **columns: Any
) -> Draft:
    """Save a person's input, whether complete or not. `columns`: the draft's classification."""
    if draft.state == DraftState.FINISHED:
        raise CurationError("This draft was converted: edit its pair.")
    columns |= asdict(texts.storable()) | {"state": state, "edited_by": user}
    if draft.version != version or not move(draft, **columns):
        raise StaleDraft("This draft was changed since you opened the page.")
    return Draft.objects.select_related("repository", "edited_by").get(pk=draft.pk)


def finish(*, draft: Draft, author: User) -> Pair:
    """Convert a draft into a pair by `author`. The author may not decide on the pair."""
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
