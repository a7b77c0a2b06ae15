"""Admin lists without long texts.

`LeanAdmin[Model]` is the base of all admin classes of the project.
"""

from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import BinaryField, JSONField, Model, QuerySet, TextField
from django.http import HttpRequest

Row = TypeVar("Row", bound=Model)

if TYPE_CHECKING:
    from django.contrib.admin import ModelAdmin
else:

    class ModelAdmin(admin.ModelAdmin):
        # django-stubs has it generic, Django does not.
        def __class_getitem__(cls, row: object) -> type:
            return cls


class LeanChangeList(ChangeList):
    def get_queryset(self, *args: Any, **kwargs: Any) -> QuerySet[Any]:
        admin = self.model_admin
        assert isinstance(admin, LeanAdmin)  # noqa: S101 - it chose this class
        unread = [
            field.name
            for field in self.model._meta.concrete_fields
            if isinstance(field, TextField | JSONField | BinaryField)
            and field.name not in admin.list_texts
        ]
        return super().get_queryset(*args, **kwargs).defer(*unread)


class LeanAdmin(ModelAdmin[Row]):
    """Base admin class. `list_texts` names the long columns of a list; all others are deferred."""

    list_texts: tuple[str, ...] = ()
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    view_on_site = False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return LeanChangeList
