"""Markdown of reviewers as safe HTML.

Attack: a comment contains HTML, a script address, or an image that reports its readers. Defense:
HTML is escaped, the library refuses `javascript:` and `data:` addresses, and images stay text.
"""

from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from curation.characters import INVISIBLE, code_point

MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable("image")
# Highest level of a heading in a text. Level 1 is only for the page's own heading.
HIGHEST = 2


@lru_cache(maxsize=256)
def rendered(text: str) -> SafeString:
    """Return `text` as HTML. An invisible character is shown as its code point."""
    shown = INVISIBLE.sub(lambda match: f"[{code_point(match[0])}]", text.replace("\r\n", "\n"))
    tokens = MARKDOWN.parse(shown)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{max(HIGHEST, int(token.tag[1]))}"
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("rel", "noreferrer")
    html: str = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    return mark_safe(html)  # noqa: S308 - the renderer escapes
