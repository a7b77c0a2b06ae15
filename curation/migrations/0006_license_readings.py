"""Lets curators see what the licence detector has read."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from curation.grants import grant, revoke

SEEN = ("curation.view_licensereading",)


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    grant(apps, schema_editor.connection.alias, "curators", SEEN)


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    revoke(apps, schema_editor.connection.alias, "curators", SEEN)


class Migration(migrations.Migration):

    dependencies = [("curation", "0005_evidence")]

    operations = [migrations.RunPython(forwards, backwards)]
