"""Reword the shipped decision reasons. Reasons that curators changed or added are kept."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

WORDS = (
    ("The licence does not allow it", "License does not allow it"),
    ("It is not standalone", "Not standalone"),
    ("It is wrong", "Incorrect result"),
    ("It is a twin of a better one", "Duplicate of a better one"),
    ("It stands in a benchmark", "Overlaps a benchmark"),
    ("Nothing can be learned from it", "Trivial"),
    ("It is generated noise", "Low-quality generated code"),
    ("It depends on one machine", "Hardware-specific"),
    ("It is exemplary", "Exemplary"),
    ("It is the best of its like", "Best of its kind"),
)


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _reword(apps, schema_editor, WORDS)


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _reword(apps, schema_editor, tuple((new, old) for old, new in WORDS))


def _reword(
    apps: Apps, schema_editor: BaseDatabaseSchemaEditor, words: tuple[tuple[str, str], ...]
) -> None:
    alias = schema_editor.connection.alias
    reasons = apps.get_model("curation", "DecisionReason").objects.using(alias)
    for old, new in words:
        # The text is unique, and a curator may have added the new one already.
        if not reasons.filter(text=new).exists():
            reasons.filter(text=old).update(text=new)


class Migration(migrations.Migration):

    dependencies = [("curation", "0025_plain_help_texts")]

    operations = [migrations.RunPython(forwards, backwards)]
