"""Whatever has no current fingerprint gets one, wherever it came from."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.evidence import fingerprints
from curation.evidence.refresh import refresh_similarity
from curation.models import Band, DuplicateLink, Fingerprint, Kernel, Pair
from curation.similarity.minhash import BANDS
from tests import factories as make
from tests.curation.evidence.shelf import links, put
from tests.curation.similarity.clustering import fingerprint
from tests.curation.similarity.kernels import SOFTMAX, renamed, unrelated

pytestmark = pytest.mark.django_db


def test_a_fingerprint_is_bound_to_the_content_and_the_scheme() -> None:
    kernel = put(SOFTMAX)

    assert fingerprints.make_missing() == 1

    row = Fingerprint.objects.get()
    assert (row.kernel, row.content_hash) == (kernel, kernel.content_hash)
    assert row.scheme == fingerprints.SCHEME
    assert row.syntax_hash == fingerprint(SOFTMAX).syntax_hash
    stored = Band.objects.order_by("number").values_list("value", flat=True)
    assert tuple(stored) == fingerprint(SOFTMAX).bands


def test_a_run_creates_only_the_missing_fingerprints() -> None:
    kernels = [put(unrelated(seed)) for seed in range(3)]
    fingerprints.make_missing()
    Fingerprint.objects.filter(kernel=kernels[1]).delete()

    assert fingerprints.make_missing() == 1
    assert fingerprints.make_missing() == 0
    assert Fingerprint.objects.count() == 3


def test_a_very_short_kernel_has_no_minhash_bands() -> None:
    put("@triton.jit\ndef f(x):\n    return tl.exp(x)\n")

    fingerprints.make_missing()

    assert Fingerprint.objects.exists()
    assert not Band.objects.exists()


def test_a_new_fingerprint_scheme_recomputes_all_fingerprints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    best, other = put(SOFTMAX, stars=9), put(renamed(SOFTMAX))
    refresh_similarity()
    Fingerprint.objects.update(scheme="another one")
    Band.objects.update(value=1)

    gathered = refresh_similarity()

    assert gathered.fingerprinted == 2
    assert links() == {other.pk: best.pk}
    assert Band.objects.filter(value=1).count() == 0
    assert Band.objects.count() == 2 * BANDS


PIECES = ["@triton.jit\n", "def f(x):\n", "    return ", "tl.load(", '"""', *")\\\0(:"]
texts = st.text(max_size=2000) | st.lists(st.sampled_from(PIECES), max_size=200).map("".join)


@pytest.mark.slow
@given(function=texts, unit=texts, python=texts)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_can_be_stored_as_a_fingerprint(function: str, unit: str, python: str) -> None:
    # PostgreSQL holds no NUL and no lone surrogate; ingest lets neither in.
    function, unit, python = (
        text.replace("\0", " ").encode("utf-8", "replace").decode()
        for text in (function, unit, python)
    )
    kernels = [
        make.a_kernel(function_source=function, standalone_source=unit, content_hash=make.sha(n))
        for n in range(2)
    ]
    pair = make.a_pair(triton_code=unit, python_code=python)

    refresh_similarity()

    stored = Fingerprint.objects.filter(kernel__in=kernels) | Fingerprint.objects.filter(pair=pair)
    assert stored.count() == 3
    assert Band.objects.filter(fingerprint__in=stored).count() in {0, BANDS, 2 * BANDS, 3 * BANDS}
    assert DuplicateLink.objects.filter(kernel__in=kernels, likeness="exact").count() == 1
    Fingerprint.objects.all().delete()
    DuplicateLink.objects.all().delete()
    Kernel.objects.all().delete()
    Pair.objects.all().delete()
