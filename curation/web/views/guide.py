"""Guide page: `docs/reviewing.md` with its pictures."""

import re
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt

from curation.web.access import may_review

PICTURE = re.compile(r'"pictures/([\w-]+\.png)"')


@require_safe
@may_review
def guide(request: HttpRequest) -> HttpResponse:
    return render(request, "curation/guide.html", {"text": _text()})


@cache
def _text() -> SafeString:
    written = (settings.BASE_DIR / "docs" / "reviewing.md").read_text()
    html = MarkdownIt("commonmark").render(written)
    html = PICTURE.sub(lambda match: f'"{static(f"guide/{match[1]}")}"', html)
    return mark_safe(html)  # noqa: S308 - a file of our own
