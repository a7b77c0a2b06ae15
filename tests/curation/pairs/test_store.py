"""The hardware and the Triton release of a stored pair."""

import pytest

from curation.decisions.editing import PairTexts, edited
from curation.models import Pair
from curation.pairs.draft import OURS, PairDraft
from curation.pairs.store import store_pairs
from tests.factories import a_curator, a_pair

pytestmark = pytest.mark.django_db

GATHER = "import triton.language as tl\n\nf = tl.gather\n"


def test_a_pair_gets_the_hardware_of_its_draft_and_the_release_of_its_text() -> None:
    draft = PairDraft(
        entry_point="f", python_code="f = 1\n", triton_code=GATHER, test_code="t = 1\n",
        origin="manual", operation_type="other", difficulty="easy", source=OURS, hardware="hip",
    )  # fmt: skip
    store_pairs([draft])

    pair = Pair.objects.get()
    assert (pair.hardware, pair.min_triton) == ("hip", "3.3")
    assert draft.as_record()["metadata"]["hardware"] == ["hip"]
    assert draft.as_record()["metadata"]["min_triton"] == "3.3"


def test_an_edit_keeps_the_hardware_and_updates_the_minimum_triton_release() -> None:
    pair = a_pair(hardware="hip", min_triton="3.0")
    texts = PairTexts(pair.python_code, GATHER, pair.test_code)

    version = edited(pair=pair, texts=texts, author=a_curator())

    assert (version.hardware, version.min_triton) == ("hip", "3.3")
