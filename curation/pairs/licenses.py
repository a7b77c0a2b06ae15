"""License rows of stated expressions, judged by the license policy."""

from django.conf import settings
from django.utils.module_loading import import_string

from curation.models import License


def license_of(expression: str) -> License:
    """Return the row of an expression. The first use creates it with verdict and standard text.

    The verdict is the policy's. Doubtful evidence of one item must not affect later items.
    """
    row = License.objects.filter(expression=expression[:300]).first()
    if row is None:
        verdict, text = import_string(settings.LICENSE_POLICY)(expression)
        row, _ = License.objects.get_or_create(
            expression=expression[:300], defaults={"verdict": verdict, "text": text}
        )
    return row
