"""Deletes the cached models of suggested verdicts, which no code reads any more."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

NAMES = ("suggestions", "suggestions for kernels", "suggestions for pairs")


def delete(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    figures = apps.get_model("curation", "Figures").objects.using(schema_editor.connection.alias)
    figures.filter(name__in=NAMES).delete()


class Migration(migrations.Migration):
    dependencies = [("curation", "0039_persons_and_programs")]
    operations = [migrations.RunPython(delete, migrations.RunPython.noop)]
