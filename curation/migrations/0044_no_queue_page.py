from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

GONE = ("admin", "view_compiledgraph")


def revoke(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take the permissions for django-rq's page, and for a table that is gone, from curators."""
    using = schema_editor.connection.alias
    gone = apps.get_model("auth", "Permission").objects.using(using).filter(
        content_type__app_label__in=("curation", "django_rq"), codename__in=GONE
    )
    for group in apps.get_model("auth", "Group").objects.using(using).filter(name="curators"):
        group.permissions.remove(*gone)


class Migration(migrations.Migration):
    dependencies = [("curation", "0043_no_compiled_graphs")]

    operations = [migrations.RunPython(revoke, migrations.RunPython.noop)]
