"""Tells apart the decisions of persons and of programs."""

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q


def create_group(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    groups.get_or_create(name="programs")


def delete_group(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    groups.filter(name="programs").delete()
    # The former constraint knows persons and policies only.
    decisions = apps.get_model("curation", "Decision")._base_manager
    decisions.using(schema_editor.connection.alias).filter(actor="program").update(
        actor="person", rules=""
    )


class Migration(migrations.Migration):
    dependencies = [
        ("curation", "0038_last_drafting"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="program",
            field=models.BooleanField(
                default=False, help_text="A program decides with it, not its owner."
            ),
        ),
        migrations.AlterField(
            model_name="decision",
            name="actor",
            field=models.CharField(
                choices=[("person", "Person"), ("policy", "Policy"), ("program", "Program")],
                default="person",
                max_length=10,
            ),
        ),
        migrations.RemoveConstraint(model_name="decision", name="decision_actor_named"),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=Q(actor="person", user__isnull=False)
                | (Q(actor="policy", user__isnull=True) & ~Q(rules=""))
                | (Q(actor="program", user__isnull=False) & ~Q(rules="")),
                name="decision_actor_named",
            ),
        ),
        migrations.RunPython(create_group, delete_group),
    ]
