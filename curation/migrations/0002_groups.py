"""Creates the groups *reviewers* and *curators* with what they may do."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from curation.grants import grant

REVIEWERS = (
    "curation.add_claim",
    "curation.add_decision",
    "curation.view_decision",
    "curation.view_kernel",
    "curation.view_pair",
)
CURATORS = (
    *REVIEWERS,
    "auth.add_user",
    "auth.change_user",
    "auth.view_group",
    "auth.view_user",
    "curation.add_ingestrun",
    "curation.add_release",
    "curation.add_repository",
    "curation.add_validationrun",
    "curation.change_license",
    "curation.change_repository",
    "curation.view_band",
    "curation.view_claim",
    "curation.view_contaminationmatch",
    "curation.view_drop",
    "curation.view_duplicatelink",
    "curation.view_fingerprint",
    "curation.view_ingestrun",
    "curation.view_lease",
    "curation.view_license",
    "curation.view_licenseevidence",
    "curation.view_provenance",
    "curation.view_qualityfinding",
    "curation.view_release",
    "curation.view_releasemember",
    "curation.view_repository",
    "curation.view_sourcefile",
    "curation.view_validationcheck",
    "curation.view_validationresult",
    "curation.view_validationrun",
    "django_rq.admin",
)


def create_groups(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    alias = schema_editor.connection.alias
    grant(apps, alias, "reviewers", REVIEWERS)
    grant(apps, alias, "curators", CURATORS)


def delete_groups(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    groups.filter(name__in=("reviewers", "curators")).delete()


class Migration(migrations.Migration):

    dependencies = [
        ("curation", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("django_rq", "0003_alter_dashboard_permission_names"),
    ]

    operations = [migrations.RunPython(create_groups, delete_groups)]
