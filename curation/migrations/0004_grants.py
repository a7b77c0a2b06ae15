"""Lets curators see the rows that came with ingest."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from curation.grants import grant, revoke

SEEN = ("curation.view_compiledgraph", "curation.view_sourcetext")


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    grant(apps, schema_editor.connection.alias, "curators", SEEN)


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    revoke(apps, schema_editor.connection.alias, "curators", SEEN)


class Migration(migrations.Migration):

    dependencies = [("curation", "0003_ingest")]

    operations = [migrations.RunPython(forwards, backwards)]
