"""The migration that newer code has: copied beside the others, of which it follows the newest."""

from pathlib import Path

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [  # noqa: RUF012 - read by Django
        ("curation", max(path.stem for path in Path(__file__).parent.glob("0*.py")))
    ]
    operations = [migrations.RunSQL("CREATE TABLE curation_tomorrow (id integer)")]  # noqa: RUF012
