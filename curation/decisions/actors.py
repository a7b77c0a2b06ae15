"""Kind of the actor behind a decision: a person, or a program.

The accounts in the group *programs* are programs. An API token may also be a program's although its
owner is a person.
"""

from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import QuerySet

from curation.models import Actor
from curation.people import PROGRAMS


def mark_program(user: User) -> None:
    """Mark the account object of a request whose token is a program's. It decides as a program."""
    user.__dict__["by_program"] = True


def is_marked(user: User) -> bool:
    return "by_program" in user.__dict__


def program_groups(user: User) -> QuerySet[Group]:
    """Select the group *programs* if the account is in it, or else no row."""
    return Group.objects.filter(name=PROGRAMS, user=user)


def acted_by(user: User, in_programs: bool | None = None) -> dict[str, Any]:
    """Return the columns of a decision that name its actor.

    The name of a program is stored like that of a policy, and an export accepts it by that name.

    in_programs: whether the account is in the group, or None to query it.
    """
    if in_programs is None:
        in_programs = program_groups(user).exists()
    if is_marked(user) or in_programs:
        return {"user": user, "actor": Actor.PROGRAM, "rules": user.username[:100]}
    return {"user": user, "actor": Actor.PERSON}
