from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

FORMER, NOW = "cheating", "not_triton"


def rename(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("curation", "ValidationResult").objects.filter(verdict=FORMER).update(verdict=NOW)


def rename_back(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("curation", "ValidationResult").objects.filter(verdict=NOW).update(verdict=FORMER)


VERDICTS = [
    ("passed", "Passed"),
    ("failed", "Failed"),
    ("not_triton", "Not Triton"),
    ("vacuous", "Vacuous"),
    ("error", "Error"),
    ("timeout", "Timeout"),
    ("crashed", "Crashed"),
    ("unsupported", "Unsupported"),
]


class Migration(migrations.Migration):
    dependencies = [("curation", "0023_items_begun")]

    operations = [
        migrations.RemoveConstraint("validationresult", "validationresult_verdict_valid"),
        migrations.RunPython(rename, rename_back),
        migrations.AlterField(
            "validationresult", "verdict", models.CharField(choices=VERDICTS, max_length=20)
        ),
        migrations.AddConstraint(
            "validationresult",
            models.CheckConstraint(
                condition=models.Q(("verdict__in", [value for value, _ in VERDICTS])),
                name="validationresult_verdict_valid",
            ),
        ),
    ]
