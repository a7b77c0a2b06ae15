"""Every model that the admin shows: how to make a row, and what each kind of person may do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.urls import reverse

from curation.models import DecisionReason, License, Notice, OptOut, Release, Repository
from tests import factories as make


@dataclass(frozen=True, slots=True)
class Shown:
    """`curator` and `superuser` answer to GET on the list, adding, changing and deleting."""

    model: type[Model]
    a_row: Callable[..., Model]
    curator: tuple[int, int, int, int] = (200, 403, 200, 403)
    superuser: tuple[int, int, int, int] = (200, 403, 200, 403)

    def page(self, page: str, *args: Any) -> str:
        options = self.model._meta
        return reverse(f"admin:{options.app_label}_{options.model_name}_{page}", args=args)

    def __str__(self) -> str:
        return self.model.__name__


def a_group() -> Group:
    return Group.objects.create(name=f"group {Group.objects.count()}")


# Tables that only jobs write.
READ_ONLY = (Shown(Notice, make.a_notice), Shown(Release, make.a_release))

EDITED = (
    Shown(
        DecisionReason, make.a_reason, curator=(200, 200, 200, 403), superuser=(200, 200, 200, 403)
    ),
    Shown(License, make.a_license),
    Shown(OptOut, make.an_opt_out, curator=(200, 200, 200, 403), superuser=(200, 200, 200, 403)),
    Shown(
        Repository, make.a_repository, curator=(200, 200, 200, 403), superuser=(200, 200, 200, 403)
    ),
    Shown(User, make.a_reviewer, curator=(200, 200, 200, 403), superuser=(200, 200, 200, 200)),
    Shown(Group, a_group, curator=(200, 403, 200, 403), superuser=(200, 200, 200, 200)),
)

EVERY_MODEL = (*READ_ONLY, *EDITED)
