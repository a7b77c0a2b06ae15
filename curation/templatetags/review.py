"""Template tags and filters of the review site."""

import re
from datetime import datetime, timedelta

from django import template
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince

from curation.characters import boxed, has_invisible
from curation.models import Run
from curation.people import CURATORS
from curation.text import pluralize
from curation.web.markdown import rendered

# Maximum number of curators named on the page for an account without a group.
ADVISERS = 20
# Maximum number of characters that are shown of a path, a message or a quotation.
LONGEST = 4000

register = template.Library()
register.filter("markdown", rendered)


@register.simple_tag
def curators() -> QuerySet[User]:
    """Return the people who can add other people to a group."""
    able = Q(groups__name=CURATORS) | Q(is_superuser=True)
    return User.objects.filter(able, is_active=True).distinct().order_by("username")[:ADVISERS]


@register.simple_tag
def ago(when: datetime | None) -> SafeString:
    """Format a time as `3 minutes ago`, with the exact time in a tooltip."""
    if when is None:
        return mark_safe("never")
    past = timesince(when, depth=1)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        when.isoformat(timespec="seconds"),
        when.strftime("%Y-%m-%d %H:%M UTC"),
        "just now" if past.startswith("0") else f"{past} ago",
    )


@register.simple_tag
def moment(when: datetime) -> SafeString:
    return format_html(
        '<time datetime="{}">{}</time>',
        when.isoformat(timespec="seconds"),
        when.strftime("%Y-%m-%d %H:%M"),
    )


@register.filter
def lasting(span: timedelta | None) -> str:
    """Format a duration with at most two units: `2 h 5 min`, `40 s`."""
    seconds = round(span.total_seconds()) if span is not None else 0
    days, hours, minutes = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


@register.filter
def took(run: Run) -> str:
    """Return the duration of a run until now or its end, or "" if it has not begun."""
    if run.started_at is None:
        return ""
    return lasting((run.finished_at or timezone.now()) - run.started_at)


TABS = {
    "standalone_source": "standalone", "function_source": "file", "launcher_source": "launcher",
}  # fmt: skip


@register.filter
def tab_of(file: str) -> str:
    """Return the tab in which a text is shown."""
    return TABS.get(file, "code")


@register.filter
def title_of(file: str) -> str:
    """Return the title of a text, as shown on its tab."""
    titles = {"standalone": "Standalone", "file": "In its file", "launcher": "Launcher"}
    return titles.get(tab_of(file), f"{file}.py")


@register.filter
def anchor_of(file: str) -> str:
    """Return the prefix of the HTML ids of a text's lines."""
    return "L" if file in TABS else f"{file}-"


@register.filter
def percent(share: float) -> str:
    return f"{share:.0%}"


@register.filter
def milliseconds(seconds: float) -> str:
    """Format a short time: `0.35 ms`, `1,240 ms`."""
    return f"{seconds * 1e3:,.2f} ms" if seconds < 0.1 else f"{seconds * 1e3:,.0f} ms"


@register.filter
def spoken(code: str) -> str:
    """Format a code as words: `no-test` becomes “No test”."""
    return code.replace("-", " ").capitalize()


@register.filter
def visible(text: object, longest: int = LONGEST) -> SafeString:
    """Escape a text of others, show invisible characters as boxes, and cut it if it is too long.

    In titles and attributes, also apply `striptags`, which leaves only the boxes' code points.
    """
    shown = text if isinstance(text, SafeString) else str(text)
    more = ""
    if not isinstance(shown, SafeString) and len(shown) > longest:
        more = f" … {pluralize(len(shown) - longest, 'more character')}"
        shown = shown[:longest]
    html = conditional_escape(shown)
    return mark_safe((boxed(html) if has_invisible(html) else html) + more)  # noqa: S308 - escaped


@register.filter
def breakable(name: str) -> SafeString:
    """Return a name with possible line breaks before underscores and dots."""
    shown = visible(name)
    if "<" in shown:
        return shown
    return mark_safe(re.sub(r"(?<=\w)(?=[_.]\w)", "<wbr>", shown))  # noqa: S308 - escaped
