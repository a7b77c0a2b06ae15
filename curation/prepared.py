"""Queries that are composed once and asked often.

Django puts a statement together anew each time that it is asked: for a page of eight statements,
that takes several times what the database and the templates take. What is asked on every page is
written as a function of the values that are not known yet, and composed when it is first called:

    @prepared
    def places(kernel: int) -> QuerySet[Provenance]:
        return Provenance.objects.filter(kernel=kernel).order_by("pk")

    places(7)  # a list

Inside, `kernel` is a place to be filled: it can be compared with, not looked at. What has to be
looked at, such as a model, stands before a slash: there is a statement for each.

    @prepared
    def by_key(model: type[Item], /, pk: int) -> QuerySet[Any]: ...

What is changed that often is composed once as well, and says how many rows it has changed:

    @prepared_update
    def rename(kernel: int, name: str) -> Update:
        return Kernel.objects.filter(pk=kernel), {"name": name}
"""

import inspect
import json
import uuid
from collections.abc import Callable, Hashable, Iterable
from datetime import datetime
from functools import lru_cache, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, cast

from django.core.exceptions import EmptyResultSet
from django.db import connections, models, router
from django.db.models.sql import UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

P = ParamSpec("P")
Row = TypeVar("Row")
# Some rows, and what their columns become.
Update = tuple[models.QuerySet[Any, Any], dict[str, Any]]
# Of one function, so many statements are kept.
KEPT = 256
# The first number that a database's largest column can't hold.
BEYOND = 1 << 63


def prepared(compose: "Callable[P, models.QuerySet[Any, Row]]") -> "Prepared[P, Row]":
    return Prepared(compose)


def prepared_update(compose: "Callable[P, Update]") -> "Callable[P, int]":
    return _PreparedUpdate(compose)


class _Composer(Generic[P]):
    """Knows which arguments a statement is composed for, and which it is filled with."""

    def __init__(self, compose: Callable[P, Any], composed: Callable[[Any], Any]) -> None:
        parameters = inspect.signature(compose).parameters.values()
        self._known = sum(one.kind is one.POSITIONAL_ONLY for one in parameters)
        self._names = tuple(one.name for one in parameters)[self._known :]
        places = {name: _Place(name) for name in self._names}
        by_name: Callable[..., Any] = compose

        # Each database has its own way of saying it.
        def statement(vendor: str, known: tuple[Hashable, ...]) -> Any:
            return composed(by_name(*known, **places))

        self._statement = lru_cache(KEPT)(statement)
        update_wrapper(cast(Any, self), compose)

    def _asked(self, args: Any, kwargs: Any) -> tuple[Any, Any, dict[str, Any]]:
        connection = connections[router.db_for_read(models.Model)]
        statement = self._statement(connection.vendor, args[: self._known])
        values = dict(zip(self._names, args[self._known :], strict=False)) | kwargs
        return statement, connection, values


class Prepared(_Composer[P], Generic[P, Row]):
    def __init__(self, compose: Callable[P, models.QuerySet[Any, Row]]) -> None:
        super().__init__(compose, _Statement)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[Row]:
        statement, connection, values = self._asked(args, kwargs)
        rows: list[Row] = statement.rows(connection, values)
        return rows

    def first(self, *args: P.args, **kwargs: P.kwargs) -> Row | None:
        """For what is one row at the most."""
        return next(iter(self(*args, **kwargs)), None)


class _PreparedUpdate(_Composer[P]):
    def __init__(self, compose: Callable[P, Update]) -> None:
        super().__init__(compose, _Change)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> int:
        statement, connection, values = self._asked(args, kwargs)
        changed: int = statement.change(connection, values)
        return changed


class _Place(models.Expression):
    """Stands where a value will be."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]


class _Statement:
    def __init__(self, rows: models.QuerySet[Any, Any]) -> None:
        self._rows = rows
        self._compiler = rows.query.get_compiler(using=rows.db)
        # How values of this database become Python's: the same for every row that is ever read.
        self._known: dict[str, Any] = {}
        try:
            self._sql, self._values = self._compiler.as_sql()
        except EmptyResultSet:  # Whatever is asked, no row can be like this.
            self._sql, self._values = "", ()

    def rows(self, connection: Any, values: dict[str, Any]) -> list[Any]:
        if not self._sql:
            return []
        try:
            filled = _filled(connection, self._values, values)
        except EmptyResultSet:
            return []
        asked = _Composed(self._compiler, connection, self._sql, filled, self._known)
        rows = self._rows.all()
        rows.query.get_compiler = lambda *_, **__: asked  # type: ignore[method-assign]
        return list(rows)


class _Change:
    def __init__(self, update: Update) -> None:
        rows, said = update
        query: UpdateQuery = rows.query.chain(UpdateQuery)  # type: ignore[assignment]
        query.add_update_values(said)
        self._sql, self._values = query.get_compiler(using=rows.db).as_sql()

    def change(self, connection: Any, values: dict[str, Any]) -> int:
        try:
            filled = _filled(connection, self._values, values)
        except EmptyResultSet:
            return 0
        with _cursor(connection) as cursor:
            cursor.execute(self._sql, filled)
            return int(cursor.rowcount)


class _Composed(SQLCompiler):
    """A compiler whose work is done: it knows the statement, and how its rows become objects."""

    def __init__(
        self, done: SQLCompiler, connection: Any, sql: str, values: Any, known: dict[str, Any]
    ) -> None:
        self.__dict__ |= vars(done) | {"connection": connection}
        self._said, self._known = (sql, values), known

    def execute_sql(self, *args: Any, **kwargs: Any) -> Any:
        with _cursor(self.connection) as cursor:
            cursor.execute(*self._said)
            found = cursor.fetchall()
        return [[row[: self.col_count] for row in found] if self.has_extra_select else found]

    def get_converters(self, expressions: Any) -> Any:
        if "converters" not in self._known:
            self._known["converters"] = super().get_converters(expressions)
        return self._known["converters"]


def _cursor(connection: Any) -> Any:
    """PostgreSQL plans what it is asked often once a connection, where statement and values come
    apart. Planning what surrounds an item takes it three times as long as finding it."""
    if connection.vendor != "postgresql":
        return connection.cursor()
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.close_if_health_check_failed()
    connection.ensure_connection()
    apart = ServerBindingCursor(connection.connection)  # type: ignore[call-arg]
    return connection._prepare_cursor(apart)


def _filled(connection: Any, places: Iterable[Any], values: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        _for(connection, values[place.name]) if isinstance(place, _Place) else place
        for place in places
    )


def _for(connection: Any, value: Any) -> Any:
    """As Django itself hands it to this database."""
    if isinstance(value, models.Model):
        value = value.pk
    if isinstance(value, int) and not -BEYOND <= value < BEYOND:
        raise EmptyResultSet  # No column holds it, so no row has it.
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, uuid.UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    if isinstance(value, list) and connection.vendor == "sqlite":
        return json.dumps(value)
    return value
