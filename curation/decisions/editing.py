"""Editing of pairs: an edit creates a pending row that is linked to the unchanged old row."""

from dataclasses import astuple, dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from curation.decisions.notices import notify
from curation.errors import CurationError
from curation.identity import content_hash
from curation.models import NoticeKind, Pair, PairOrigin, Question
from curation.pairs.min_triton import min_triton
from curation.tokens import count_many

LONGEST = 200_000
LONGEST_DESCRIPTION = 2_000


@dataclass(frozen=True, slots=True)
class PairTexts:
    python_code: str
    triton_code: str
    test_code: str

    def storable(self) -> "PairTexts":
        """Return the texts with normalized line ends. Each text may be empty."""
        texts = [
            text.replace("\r\n", "\n").rstrip() + "\n" if text.strip() else ""
            for text in astuple(self)
        ]
        if any(len(text) > LONGEST for text in texts):
            raise CurationError(f"Keep each of the three texts below {LONGEST:,} characters.")
        return PairTexts(*texts)


# Columns that are copied to the next version, because an edit changes only texts.
KEPT = (
    "slug", "entry_point", "operation_type", "difficulty", "tags", "kind_corrected", "hardware",
    "differentiable", "split_group", "metadata", "license", "license_verdict", "kernel",
)  # fmt: skip


def edited(*, pair: Pair, texts: PairTexts, author: User, description: str = "") -> Pair:
    """Return the next version of `pair`, unsaved, because the caller checks the contract first.

    If only the description changed, save it and return `pair` itself. An empty `description` keeps
    the old description.
    """
    description = " ".join(description.split()) or pair.description
    if len(description) > LONGEST_DESCRIPTION:
        raise CurationError(f"Keep the description below {LONGEST_DESCRIPTION:,} characters.")
    if "\0" in description:
        raise CurationError("The description contains a zero byte, which can't be stored.")
    sources = astuple(texts.storable())
    if not all(sources):
        raise CurationError("None of the three texts may be empty.")
    name = content_hash(*sources)
    if name == pair.content_hash and description != pair.description:
        # The description is not part of the identity, so decisions on the three texts stay valid.
        Pair.objects.filter(pk=pair.pk).update(description=description)
        return pair
    if name == pair.content_hash:
        raise CurationError("Nothing has changed in any of the three texts.")
    if known := Pair.objects.filter(content_hash=name).first():
        raise CurationError(f"The same pair exists already: {known}.")
    return Pair(
        content_hash=name,
        previous=pair,
        author=author,
        origin=pair.origin if pair.origin != PairOrigin.TEMPLATE else PairOrigin.MANUAL,
        tokens=count_many(["\n".join(sources)])[0],
        description=description,
        min_triton=min_triton(sources[1]),
        **dict(zip(Pair.SOURCES, sources, strict=True)),
        **{column: getattr(pair, column) for column in KEPT},
    )


def as_record(pair: Pair) -> dict[str, Any]:
    """Return the fields of a pair's dataset record that the contract checks."""
    return {
        "id": str(pair),
        **{column: getattr(pair, column) for column in Pair.SOURCES},
        "metadata": {
            "operation_type": pair.operation_type,
            "difficulty": pair.difficulty,
            "tags": pair.tags,
            "entry_point": pair.entry_point,
            "origin": pair.origin,
            "differentiable": pair.differentiable,
        },
    }


def save_version(pair: Pair) -> None:
    """Save the result of `edited`. Answer the questions by which reviewers sent the pair back."""
    sent_back = Question.objects.filter(pair=pair.previous_id, asked=pair.author, answered_at=None)
    try:
        with transaction.atomic():
            pair.save()
            for question in sent_back.select_related("asker"):
                words = f"{pair.author} saved {pair}, a new version of the pair that you sent back."
                event, url = f"answer-{question.pk}", pair.get_absolute_url()
                notify(question.asker, NoticeKind.REPLY, words, url, event=event)
            sent_back.update(
                answer=f"See {pair}.", answered_by=pair.author, answered_at=timezone.now()
            )
    except IntegrityError:
        raise CurationError("Another user has just saved the same pair.") from None
