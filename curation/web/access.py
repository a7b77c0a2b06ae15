"""Access checks and lookups shared by the views of the review site."""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.decorators import permission_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.urls.converters import StringConverter

from curation.models import Kernel, Pair
from curation.people import ROLES
from curation.search.matching import KINDS

may_review = permission_required("curation.add_decision", raise_exception=True)
may_decide_in_bulk = permission_required("curation.add_bulkdecision", raise_exception=True)
may_steer = permission_required("curation.steer_queue", raise_exception=True)
may_edit_pairs = permission_required("curation.add_pair", raise_exception=True)
SEE_RUNS = tuple(f"curation.view_{run}" for run in ("ingestrun", "validationrun", "exportrun"))
may_see_runs = permission_required(SEE_RUNS, raise_exception=True)
may_finish_drafts = permission_required("curation.change_draft", raise_exception=True)


class KindConverter(StringConverter):
    """URL converter of the item kind."""

    regex = "kernels|pairs"


def person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 - login is required everywhere
    return request.user


def role_of(user: User) -> str:
    """Return the roles of an account in words. For several accounts, prefetch the groups."""
    names = ["superuser"] if user.is_superuser else []
    names += [ROLES[group.name][0] for group in user.groups.all() if group.name in ROLES]
    return ", ".join(names) or "no role yet"


def item_or_404(kind: str, pk: int) -> Any:
    return there(kind, KINDS[kind]._default_manager.filter(pk=pk).first())


def there(kind: str, item: Any) -> Any:
    if item is None:
        raise Http404(f"There is no such item among the {kind}.")
    return item


def number(text: str) -> int:
    """Parse a key that was sent as text. Return 0, which no row has, if it is not a number."""
    return int(text) if text.isdecimal() and len(text) < 19 else 0


def parse_time(text: str) -> datetime | None:
    """Parse the time of a cursor. Return None for an invalid cursor, so that page 1 is shown."""
    try:
        moment = datetime.fromisoformat(text)
        # The conversion to UTC fails for the first and the last day that Python can represent.
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def kind_of(item: Kernel | Pair) -> str:
    return "kernels" if isinstance(item, Kernel) else "pairs"


def text_url(item: Kernel | Pair, column: str) -> str:
    """Return the URL of one complete text of an item."""
    return reverse("text", args=[kind_of(item), item.pk, column])


# Text columns of a row's kernel or pair. Lists do not load them, because they may have megabytes.
TEXTS = [f"{model._meta.model_name}__{name}" for model in (Kernel, Pair) for name in model.SOURCES]
