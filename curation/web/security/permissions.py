"""Authentication backend: Django's with a login throttle, and one query for all permissions."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Permission, User
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from curation.compiled_queries import compiled_query
from curation.web.security.throttle import begin_attempt, end_attempt


class Backend(ModelBackend):
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        """Refuse a throttled login before the password is checked, also in the admin."""
        if request is None:
            return super().authenticate(request, username, password, **kwargs)
        name = (username or "").replace("\0", "")
        if wait := begin_attempt(request, name):
            request.login_wait = wait  # type: ignore[attr-defined]
            raise PermissionDenied
        user = super().authenticate(request, username, password, **kwargs)
        if user is not None:
            end_attempt(request, name)
        return user

    def get_user(self, user_id: Any) -> User | None:
        user = _person.first(user_id)
        return user if user and self.user_can_authenticate(user) else None

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        if not user_obj.is_active or user_obj.is_anonymous or obj is not None:
            return set()
        if user_obj.is_superuser:
            return super().get_all_permissions(user_obj)
        if not hasattr(user_obj, "_everything"):
            user_obj._everything = {f"{app}.{code}" for app, code in _granted(user_obj)}
        permissions: set[str] = user_obj._everything
        return permissions


@compiled_query
def _person(pk: int) -> QuerySet[User]:
    return User.objects.filter(pk=pk)


@compiled_query
def _granted(user: User) -> QuerySet[Permission, tuple[str, str]]:
    rows = Permission.objects.filter(Q(user=user) | Q(group__user=user)).order_by()
    return rows.values_list("content_type__app_label", "codename").distinct()
