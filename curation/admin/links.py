"""Links between admin pages, and from them to the site."""

from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from curation.models import Run


def run_link(run: Run) -> SafeString:
    """Link to a run's page on the site, where it can be cancelled and retried."""
    return format_html('<a href="{}">{}</a>', run.get_absolute_url(), run.label)


def list_link(model: type[Model], text: str = "", /, **lookups: str | int) -> SafeString:
    """Link to the matching rows of `model`, labeled by its name unless `text` is given."""
    page = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    return format_html(
        '<a href="{}?{}">{}</a>',
        reverse(page),
        urlencode(lookups),
        text or model._meta.verbose_name_plural,
    )
