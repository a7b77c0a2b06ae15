"""What migrations call to make the groups and to grant them permissions, and to take them back.

A migration names its permissions itself: it tells what was true on its day, and must go through
also when `curation.people` has changed. A test compares the two.
"""

from collections.abc import Sequence
from typing import Any

from django.apps import apps as current
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions

APPLICATIONS = ("auth", "curation", "django_rq")


def grant(apps: Apps, alias: str, group: str, permissions: Sequence[str]) -> None:
    """Give `group` the permissions (`application.codename`), and make whatever is missing."""
    _create_permissions(apps, alias)
    row, _ = apps.get_model("auth", "Group").objects.using(alias).get_or_create(name=group)
    row.permissions.add(*_permissions(apps, alias, permissions))


def revoke(apps: Apps, alias: str, group: str, permissions: Sequence[str]) -> None:
    for row in apps.get_model("auth", "Group").objects.using(alias).filter(name=group):
        row.permissions.remove(*_permissions(apps, alias, permissions))


def _permissions(apps: Apps, alias: str, names: Sequence[str]) -> list[Any]:
    rows = apps.get_model("auth", "Permission").objects.using(alias)
    found = rows.values_list("content_type__app_label", "codename", "pk")
    keys = {f"{label}.{code}": key for label, code, key in found}
    return [keys[name] for name in names]


def _create_permissions(apps: Apps, alias: str) -> None:
    """Django creates permissions only after the last migration, which is too late for these."""
    for label in APPLICATIONS:
        # The application as it is now, for Django skips one without a module of models, and
        # those of a migration have none; which permissions there are, `apps` tells.
        config = current.get_app_config(label)
        create_permissions(config, using=alias, apps=apps, verbosity=0, interactive=False)
