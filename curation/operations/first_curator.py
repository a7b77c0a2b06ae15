"""First account of an installation, and its password until the first login."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.db.models.signals import post_save
from django.dispatch import receiver

from curation.people import CURATORS

NAME = "curator"


def password_file() -> Path:
    """Return the path of the first password; only its owner may read it."""
    folder: Path = settings.DATA_DIR
    return folder / "first_password"


@transaction.atomic
def create_first_curator() -> bool:
    """Create a curator if there is no account yet, and write the password to its file."""
    if User.objects.exists():
        return False
    password = secrets.token_urlsafe(12)
    # Write the file before creating the account. Without it, no login would ever be possible.
    path = password_file()
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password)
    curator = User.objects.create_superuser(NAME, password=password)
    curator.groups.add(Group.objects.get(name=CURATORS))
    return True


def unused_password() -> str | None:
    """Return the first password. If it was used or changed, remove its file and return None."""
    try:
        password = password_file().read_text()
    except OSError:
        return None
    curator = User.objects.filter(username=NAME, last_login=None).first()
    if curator is not None and curator.check_password(password):
        return password
    password_file().unlink(missing_ok=True)
    return None


@receiver(post_save, sender=User)
def forget_used_password(instance: User, **_: Any) -> None:
    """Delete the file at the first login or password change. Both save the user's row."""
    if instance.username == NAME and password_file().exists():
        unused_password()
