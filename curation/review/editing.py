"""Editing a pair makes another one: a new version, pending, linked to the old, which is kept."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from curation.errors import CurationError
from curation.identity import content_hash
from curation.models import Pair, PairOrigin
from curation.pairs.min_triton import min_triton

LONGEST = 200_000
LONGEST_DESCRIPTION = 2_000


@dataclass(frozen=True, slots=True)
class Texts:
    python_code: str
    triton_code: str
    test_code: str

    def normalised(self) -> "Texts":
        """As browsers send them, with their line ends made ours."""
        return Texts(
            *(
                text.replace("\r\n", "\n").rstrip() + "\n" if text.strip() else ""
                for text in (self.python_code, self.triton_code, self.test_code)
            )
        )

    def storable(self) -> "Texts":
        """Normalised, and such as the database takes; each may be empty."""
        texts = self.normalised()
        sources = (texts.python_code, texts.triton_code, texts.test_code)
        if any(len(source) > LONGEST for source in sources):
            raise CurationError(f"Keep each of the three texts below {LONGEST:,} letters.")
        if any("\0" in source for source in sources):
            raise CurationError("A text holds a zero byte, which no source file may.")
        return texts


def new_version(*, pair: Pair, texts: Texts, author: User, description: str = "") -> Pair:
    """Store an edited pair as a new version. Return `pair` itself if only its description changed.

    description: one sentence; empty: that of `pair`.
    """
    description = " ".join(description.split()) or pair.description
    if len(description) > LONGEST_DESCRIPTION:
        raise CurationError(f"Keep the description below {LONGEST_DESCRIPTION:,} letters.")
    if "\0" in description:
        raise CurationError("The description holds a zero byte, which the database does not take.")
    texts = texts.storable()
    sources = (texts.python_code, texts.triton_code, texts.test_code)
    if not all(sources):
        raise CurationError("None of the three texts may be empty.")
    name = content_hash(*sources)
    if name == pair.content_hash and description != pair.description:
        # Not part of a pair's identity: decisions on its texts stay valid.
        Pair.objects.filter(pk=pair.pk).update(description=description)
        return pair
    if name == pair.content_hash:
        raise CurationError("Nothing has changed in any of the three texts.")
    if known := Pair.objects.filter(content_hash=name).first():
        raise CurationError(f"The very same pair is there already: {known}.")
    try:
        with transaction.atomic():
            return Pair.objects.create(
                content_hash=name,
                previous=pair,
                author=author,
                python_code=texts.python_code,
                triton_code=texts.triton_code,
                test_code=texts.test_code,
                origin=pair.origin if pair.origin != PairOrigin.TEMPLATE else PairOrigin.MANUAL,
                description=description,
                slug=pair.slug,
                entry_point=pair.entry_point,
                operation_type=pair.operation_type,
                difficulty=pair.difficulty,
                tags=pair.tags,
                hardware=pair.hardware,
                min_triton=min_triton(texts.triton_code),
                kind_corrected=pair.kind_corrected,
                differentiable=pair.differentiable,
                split_group=pair.split_group,
                metadata=pair.metadata,
                license=pair.license,
                license_verdict=pair.license_verdict,
                kernel=pair.kernel,
            )
    except IntegrityError:
        raise CurationError("Somebody else has just saved the very same pair.") from None
