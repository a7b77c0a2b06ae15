"""A reference does not convert a result to the type that it has."""

from __future__ import annotations

import pytest

from ingest.drafting.conversions import drop_second_conversions

ENTRY = "\n\ndef entry(x, y):\n    return helper(y, x).to(x.dtype)\n"


@pytest.mark.parametrize(
    "helper",
    [
        "    kind = q.dtype\n    q = q.float()\n    return (q * k).to(kind)",
        "    return (q.float() * k).to(q.dtype)",
        "    if k is None:\n        return k.to(dtype=q.dtype)\n    return q.float().to(q.dtype)",
    ],
)
def test_a_conversion_that_the_helper_made_goes(helper: str) -> None:
    text = f"def helper(k, q):\n{helper}{ENTRY}"

    assert drop_second_conversions(text, "entry") == text.replace(".to(x.dtype)", "")


@pytest.mark.parametrize(
    "helper",
    [
        "    q = q.float()\n    kind = q.dtype\n    return (q * k).to(kind)",
        "    return (q.float() * k).to(k.dtype)",
        "    q = q.float()\n    return (q * k).to(q.dtype)",
        "    if k is None:\n        return k\n    return q.to(q.dtype)",
        "    return q.float()",
    ],
)
def test_a_conversion_that_may_change_the_type_stays(helper: str) -> None:
    text = f"def helper(k, q):\n{helper}{ENTRY}"

    assert drop_second_conversions(text, "entry") == text
