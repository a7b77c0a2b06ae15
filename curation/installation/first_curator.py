"""The first person: somebody must be able to log in to a new installation."""

import secrets

from django.contrib.auth.models import Group, User
from django.db import transaction

from curation.people import CURATORS

NAME = "curator"


@transaction.atomic
def create_first_curator() -> str | None:
    """Create a curator if there is nobody, and return the password; it is kept nowhere else."""
    if User.objects.exists():
        return None
    password = secrets.token_urlsafe(12)
    curator = User.objects.create_superuser(NAME, password=password)
    curator.groups.add(Group.objects.get(name=CURATORS))
    return password
