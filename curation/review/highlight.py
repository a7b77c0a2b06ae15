"""Source text as HTML: highlighted by classes, each line with a number that can be linked to."""

from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer


# 70 ms for 1,500 lines is too long for each look at a page; a source never changes.
@lru_cache(maxsize=512)
def highlighted(source: str, first_line: int = 1) -> SafeString:
    formatter = HtmlFormatter(
        cssclass="code",
        linenos="table",
        linenostart=first_line,
        lineanchors="L",
        anchorlinenos=True,
        wrapcode=True,
    )
    html = highlight(source, PythonLexer(stripnl=False), formatter)
    return mark_safe(html)  # noqa: S308 - Pygments has escaped the text
