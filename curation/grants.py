"""Functions for migrations: create the groups and grant permissions.

A migration lists its permissions itself, so that it still runs after `curation.people` has changed.
A test compares both lists.
"""

from collections.abc import Sequence
from typing import Any

from django.apps import apps as current
from django.apps.registry import Apps
from django.contrib.auth.management import create_permissions

APPLICATIONS = ("auth", "curation", "django_rq")


def grant(apps: Apps, alias: str, group: str, permissions: Sequence[str]) -> None:
    """Grant `group` the permissions (`application.codename`). Create missing rows."""
    _create_permissions(apps, alias)
    row, _ = apps.get_model("auth", "Group").objects.using(alias).get_or_create(name=group)
    row.permissions.add(*_permissions(apps, alias, permissions))


def _permissions(apps: Apps, alias: str, names: Sequence[str]) -> list[Any]:
    rows = apps.get_model("auth", "Permission").objects.using(alias)
    found = rows.values_list("content_type__app_label", "codename", "pk")
    keys = {f"{label}.{code}": key for label, code, key in found}
    return [keys[name] for name in names]


def _create_permissions(apps: Apps, alias: str) -> None:
    """Create the permissions now, because Django creates them only after the last migration."""
    for label in APPLICATIONS:
        # Use the current application. Those of migrations have no models module, so Django would
        # skip them. The permissions themselves come from `apps`.
        config = current.get_app_config(label)
        create_permissions(config, using=alias, apps=apps, verbosity=0, interactive=False)
