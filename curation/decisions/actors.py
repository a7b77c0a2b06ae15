"""The kind of an account that decides: a person, or a program.

An account is a program's by the group *programs*. A token may be a program's although its owner is
a person.
"""

from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import QuerySet

from curation.models import Actor
from curation.people import PROGRAMS


def mark_program(user: User) -> None:
    """Let this object of an account decide as a program: its token belongs to a program."""
    user.__dict__["by_program"] = True


def is_marked(user: User) -> bool:
    return "by_program" in user.__dict__


def program_groups(user: User) -> QuerySet[Group]:
    """Select the group that makes the account a program's: a row, or no row."""
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
