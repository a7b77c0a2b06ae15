"""Reads from an answer's headers how long GitHub wants to be left alone."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

# GitHub asks for a minute at least when it names no time, and for more each time after that.
UNNAMED_WAIT_SECONDS = 60.0
_SPENT_WORDS = ("rate limit", "abuse detection")


def refused_for(
    status: int, headers: Mapping[str, str], body: str, attempt: int, now: float
) -> float | None:
    """The seconds to wait after a refusal; None when it was no matter of rates."""
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
    """The seconds until requests are granted again; None while some are left.

    Measured on GitHub's own clock where the answer carries it, for ours may be wrong.
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
