"""Kind of the actor behind a decision: a person, or a program.

An account is a program if it is in the group *programs*. A person can also create an API token for
a program. Requests with this token count as a program's.
"""

from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import QuerySet

from curation.models import Actor
from curation.people import PROGRAMS


def mark_program(user: User) -> None:
    """Mark the account of a request with a program's API token, so that it acts as a program."""
    user.__dict__["by_program"] = True


def is_marked(user: User) -> bool:
    return "by_program" in user.__dict__


def program_groups(user: User) -> QuerySet[Group]:
    """Select the group *programs* if the account is in it, otherwise no row."""
    return Group.objects.filter(name=PROGRAMS, user=user)


def acted_by(user: User, in_programs: bool | None = None) -> dict[str, Any]:
    """Return the columns of a decision that name its actor.

    A program's name is stored like a policy's. Exports use the name to accept its decisions.

    in_programs: whether the account is in the group, or None to query it.
    """
    if in_programs is None:
        in_programs = program_groups(user).exists()
    if is_marked(user) or in_programs:
        return {"user": user, "actor": Actor.PROGRAM, "rules": user.username[:100]}
    return {"user": user, "actor": Actor.PERSON}
