"""Admin lists that stay fast over millions of rows: bounded counts, no long texts.

`LeanAdmin[Model]` is the base of all admin classes of the project.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import BinaryField, JSONField, Model, QuerySet, TextField
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)

# Maximum count: an exact one would read the whole table.
COUNTED = 10_000

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin
else:

    class ModelAdmin(admin.ModelAdmin):
        # django-stubs has it generic, Django does not.
        def __class_getitem__(cls, row: object) -> type:
            return cls


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # generic for django-stubs only
    @cached_property
    def count(self) -> int:
        assert isinstance(self.object_list, QuerySet)  # noqa: S101 - the admin gives no other
        return self.object_list.order_by()[:COUNTED].count()


class LeanChangeList(ChangeList):
    def get_queryset(self, *args: Any, **kwargs: Any) -> QuerySet[Any]:
        admin = self.model_admin
        assert isinstance(admin, LeanAdmin)  # noqa: S101 - it chose this class
        related = self.list_select_related
        paths = related if isinstance(related, list | tuple) else ()
        unread = set(_long_columns(self.model, paths)) - set(admin.list_texts)
        return super().get_queryset(*args, **kwargs).defer(*unread)


class LeanAdmin(ModelAdmin[Row]):
    """Base admin class. `list_texts` names the long columns of a list; all others are deferred."""

    list_texts: tuple[str, ...] = ()
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    paginator = BoundedPaginator
    view_on_site = False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return LeanChangeList


def _long_columns(model: type[Model], related: Iterable[str]) -> Iterable[str]:
    """Yield texts, JSON and bytes of `model`, and of the models that `related` refers to."""
    for field in model._meta.concrete_fields:
        if isinstance(field, TextField | JSONField | BinaryField):
            yield field.name
    for path in related:
        prefix = ""
        reached: Any = model
        for step in path.split("__"):
            reached = reached._meta.get_field(step).related_model
            prefix += f"{step}__"
            for name in _long_columns(reached, ()):
                yield f"{prefix}{name}"
