"""What the templates of the review site need beyond Django's own."""

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince

register = template.Library()


@register.simple_tag
def ago(when: datetime | None) -> SafeString:
    """`3 minutes ago`, with the moment itself beside it for whoever asks."""
    if when is None:
        return mark_safe("never")
    return format_html(
        '<time datetime="{}" title="{}">{} ago</time>',
        when.isoformat(timespec="seconds"),
        when.strftime("%Y-%m-%d %H:%M UTC"),
        timesince(when, depth=1),
    )


@register.simple_tag
def moment(when: datetime) -> SafeString:
    return format_html(
        '<time datetime="{}">{}</time>',
        when.isoformat(timespec="seconds"),
        when.strftime("%Y-%m-%d %H:%M"),
    )


@register.filter
def highlighted(html: str) -> SafeString:
    """A line that Pygments has escaped."""
    return mark_safe(html)  # noqa: S308 - from curation.review.highlight.lines only
