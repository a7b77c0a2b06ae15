"""Offers reasons to decide by, and lets curators do what came with the review site."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from curation.grants import grant, revoke

CURATORS = (
    "curation.add_bulkdecision",
    "curation.add_decisionreason",
    "curation.add_pair",
    "curation.change_decisionreason",
    "curation.change_secondreview",
    "curation.steer_queue",
    "curation.view_bulkdecision",
    "curation.view_correction",
    "curation.view_decisionreason",
    "curation.view_figures",
    "curation.view_loginfailure",
    "curation.view_question",
    "curation.view_secondreview",
    "curation.view_skip",
)

REASONS = (
    ("rejected", "The licence does not allow it"),
    ("rejected", "It is not standalone"),
    ("rejected", "It is wrong"),
    ("rejected", "It is a twin of a better one"),
    ("rejected", "It stands in a benchmark"),
    ("rejected", "Nothing can be learned from it"),
    ("rejected", "It is generated noise"),
    ("rejected", "It depends on one machine"),
    ("approved", "It is exemplary"),
    ("approved", "It is the best of its like"),
)


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    alias = schema_editor.connection.alias
    grant(apps, alias, "curators", CURATORS)
    reasons = apps.get_model("curation", "DecisionReason").objects.using(alias)
    for number, (status, text) in enumerate(REASONS, start=1):
        reasons.get_or_create(text=text, defaults={"status": status, "position": 10 * number})


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    revoke(apps, schema_editor.connection.alias, "curators", CURATORS)


class Migration(migrations.Migration):

    dependencies = [("curation", "0010_review")]

    operations = [migrations.RunPython(forwards, backwards)]
