"""Waiting times that GitHub asks for in an answer's headers."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

# GitHub asks for at least a minute without a named time, and for more after each refusal.
UNNAMED_WAIT_SECONDS = 60.0
_SPENT_WORDS = ("rate limit", "abuse detection")


def refused_for(
    status: int, headers: Mapping[str, str], body: str, attempt: int, now: float
) -> float | None:
    """Return the seconds to wait after a refusal; None if the rate limit is not the cause."""
    if status not in {403, 429}:
        return None
    named = _seconds(headers.get("retry-after", ""))
    if named is not None:
        return named
    until = until_reset(headers, now)
    if until is not None:
        return until
    if status == 429 or any(word in body.lower() for word in _SPENT_WORDS):
        return UNNAMED_WAIT_SECONDS * float(2**attempt)
    return None


def until_reset(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds until requests are granted again; None while some are left.

    Measured on GitHub's clock if the answer has it, because ours may be wrong.
    """
    if headers.get("x-ratelimit-remaining", "") != "0":
        return None
    reset = _seconds(headers.get("x-ratelimit-reset", ""))
    if reset is None:
        return None
    return max(reset - _server_time(headers, now), 0.0) + 1.0


def _server_time(headers: Mapping[str, str], now: float) -> float:
    try:
        return parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (TypeError, ValueError):
        return now


def _seconds(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() else None
