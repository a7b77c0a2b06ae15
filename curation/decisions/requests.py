"""Idempotency of requests: a retry returns the first try's row; a reused id raises Conflict."""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, models, transaction

from curation.errors import Conflict

P = ParamSpec("P")
R = TypeVar("R")
Row = TypeVar("Row", bound=models.Model)
USED = (
    "This request was used before, for another decision. Nothing has changed: check the item, "
    "then decide with a new request."
)


def one_decision(model: type[models.Model]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Run a function in a transaction. Raise Conflict if another row of `model` has its request id.

    Two concurrent requests may have the same id. A constraint lets only one succeed.
    """

    def wrap(decide: Callable[P, R]) -> Callable[P, R]:
        @wraps(decide)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                with transaction.atomic():
                    return decide(*args, **kwargs)
            except IntegrityError as error:
                if model._default_manager.filter(request=kwargs["request"]).exists():
                    raise Conflict(USED) from error
                raise

        return wrapper

    return wrap


def made_of(model: type[Row], request: uuid.UUID, **facts: object) -> Row | None:
    """Return the row that the request made, or None. Raise Conflict if it states other `facts`."""
    row = model._default_manager.filter(request=request).first()
    return row and same(row, **facts)


def same(row: Row, **facts: object) -> Row:
    if any(getattr(row, name) != value for name, value in facts.items()):
        raise Conflict(USED)
    return row
