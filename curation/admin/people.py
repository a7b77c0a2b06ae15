"""Admin of accounts: curators manage reviewers and curators.

Attack: a curator sets the password of a stronger account and logs in with it. Defense: only a
superuser can edit an account with more permissions than the groups of this project have.
"""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model, QuerySet
from django.forms import CheckboxSelectMultiple
from django.http import HttpRequest

from curation.people import CURATORS, PROGRAMS, REVIEWERS, ROLES

OURS = (REVIEWERS, CURATORS, PROGRAMS)

admin.site.unregister((User, Group))

_PERSON = (
    (None, {"fields": ("username", "password")}),
    ("Personal", {"fields": ("first_name", "last_name", "email")}),
)
_DATES = (("Dates", {"fields": ("last_login", "date_joined")}),)
_ROLE = ("is_active", "groups")
_ROLES_HELP = (
    " ".join(f"{role.capitalize()}: {words}" for role, words in ROLES.values())
    + " Without a role, an account sees no items."
)
_SUPERUSER_HELP = (
    "May do everything, with or without a role. Only superusers edit groups and other superusers."
)
_ACTIVE_HELP = "May log in. Deactivate an account instead of deleting it."


@admin.register(User)
class PersonAdmin(UserAdmin):
    fieldsets: ClassVar[Any] = (*_PERSON, ("Role", {"fields": _ROLE}), *_DATES)
    superuser_fieldsets: ClassVar[Any] = (
        *_PERSON,
        ("Role", {"fields": (*_ROLE, "is_superuser", "further_permissions")}),
        *_DATES,
    )
    add_fieldsets: Any = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": ("username", "usable_password", "password1", "password2", "groups"),
            },
        ),
    )
    readonly_fields = ("further_permissions", "last_login", "date_joined")
    filter_horizontal = ()
    list_display = ("username", "email", "role", "is_active", "last_login")
    list_filter = ("groups", "is_active", "is_superuser")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display
    def role(self, person: User) -> str:
        groups = ", ".join(group.name for group in person.groups.all())
        return f"superuser {groups}".strip() if person.is_superuser else groups

    @admin.display
    def further_permissions(self, person: User) -> str:
        """List permissions granted outside of this admin. The form leaves them unchanged."""
        names = person.user_permissions.order_by("codename").values_list("codename", flat=True)
        return ", ".join(names) or "None"

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        allowed = super().has_change_permission(request, obj)
        return allowed and (_is_superuser(request) or obj is None or _within_our_groups(obj))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is not None and _is_superuser(request):
            return self.superuser_fieldsets
        return super().get_fieldsets(request, obj)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "groups":
            kwargs |= {
                "widget": CheckboxSelectMultiple(), "label": "Roles", "help_text": _ROLES_HELP,
            }  # fmt: skip
            if not _is_superuser(request):
                kwargs["queryset"] = Group.objects.filter(name__in=OURS)
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name in ("is_superuser", "is_active"):
            active = db_field.name == "is_active"
            kwargs["help_text"] = _ACTIVE_HELP if active else _SUPERUSER_HELP
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "groups" and field is not None:
            # The widget's button would open a form that grants single permissions to a role.
            field.widget.can_add_related = False
        return field

    def save_related(self, request: Any, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        person: User = form.instance
        is_staff = person.is_superuser or person.groups.filter(name=CURATORS).exists()
        if person.is_staff != is_staff:
            person.is_staff = is_staff
            person.save(update_fields=["is_staff"])


@admin.register(Group)
class PeopleGroupAdmin(GroupAdmin):
    """Admin of groups, for superusers. A group that the code refers to can't be renamed."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        return super().get_queryset(request).prefetch_related("permissions__content_type")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _is_superuser(request) and not (isinstance(obj, Group) and obj.name in OURS)

    def get_readonly_fields(
        self, request: HttpRequest, obj: Group | None = None
    ) -> tuple[str, ...]:
        return ("name",) if obj is not None and obj.name in OURS else ()


def _is_superuser(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_superuser


def _within_our_groups(person: User) -> bool:
    return not (
        person.is_superuser
        or person.user_permissions.exists()
        or person.groups.exclude(name__in=OURS).exists()
    )
