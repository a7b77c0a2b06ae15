"""Compiled queries: SQL that is built once and executed often.

Django builds a statement anew for each execution. With plain queries, a decision and its next page
take 56 ms of processor time instead of 14 (2026-11-26), so that two cores serve 35 decisions a
second, and the target is 40. Only queries that every decision makes are compiled. Such a query is
written as a function of its unknown values, and compiled at its first call:

    @compiled_query
    def places(kernel: int) -> QuerySet[Provenance]:
        return Provenance.objects.filter(kernel=kernel).order_by("pk")

    places(7)  # a list

Inside the function, `kernel` is a placeholder: conditions may contain it, but it has no value. A
parameter whose value is needed, such as a model, is positional-only: one statement for each value.

    @compiled_query
    def by_key(model: type[Item], /, pk: int) -> QuerySet[Any]: ...
"""

import inspect
import uuid
from collections.abc import Callable, Hashable, Iterable
from datetime import datetime
from functools import lru_cache, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, cast

from django.core.exceptions import EmptyResultSet
from django.db import connections, models, router
from django.db.models.sql.compiler import SQLCompiler

P = ParamSpec("P")
Row = TypeVar("Row")
# Maximum number of statements cached for one function.
KEPT = 256
# The smallest positive number that overflows a 64-bit column.
BEYOND = 1 << 63


def compiled_query(compose: "Callable[P, models.QuerySet[Any, Row]]") -> "CompiledQuery[P, Row]":
    return CompiledQuery(compose)


class CompiledQuery(Generic[P, Row]):
    """Compiled query: one statement for each positional-only value; other arguments are bound."""

    def __init__(self, compose: Callable[P, models.QuerySet[Any, Row]]) -> None:
        parameters = inspect.signature(compose).parameters.values()
        self._known = sum(one.kind is one.POSITIONAL_ONLY for one in parameters)
        self._names = tuple(one.name for one in parameters)[self._known :]
        places = {name: _Placeholder(name) for name in self._names}
        by_name: Callable[..., Any] = compose

        # Compile separately for each kind of database (`vendor`), because their SQL differs.
        def statement(vendor: str, known: tuple[Hashable, ...]) -> Any:
            return _Statement(by_name(*known, **places))

        self._statement = lru_cache(KEPT)(statement)
        update_wrapper(cast(Any, self), compose)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[Row]:
        connection = connections[router.db_for_read(models.Model)]
        statement = self._statement(connection.vendor, args[: self._known])
        values = dict(zip(self._names, args[self._known :], strict=False)) | kwargs
        rows: list[Row] = statement.rows(connection, values)
        return rows

    def first(self, *args: P.args, **kwargs: P.kwargs) -> Row | None:
        """Return the first row, or None."""
        return next(iter(self(*args, **kwargs)), None)


class _Placeholder(models.Expression):
    """Placeholder for a value that is bound later."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]


class _Statement:
    def __init__(self, rows: models.QuerySet[Any, Any]) -> None:
        self._rows = rows
        self._compiler = rows.query.get_compiler(using=rows.db)
        # Converters from this database's values to Python's. They are the same for every row.
        self._known: dict[str, Any] = {}
        try:
            self._sql, self._values = self._compiler.as_sql()
        except EmptyResultSet:  # The conditions contradict each other, so no row can match.
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


class _Composed(SQLCompiler):
    """An SQL compiler with a known statement and known converters."""

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
    """Return a cursor that binds values on the server.

    PostgreSQL then plans a frequent statement once per connection. Planning the queries of an
    item's page takes three times as long as executing them.
    """
    if connection.vendor != "postgresql":
        return connection.cursor()
    from django.db.backends.postgresql.base import ServerBindingCursor

    connection.close_if_health_check_failed()
    connection.ensure_connection()
    apart = ServerBindingCursor(connection.connection)  # type: ignore[call-arg]
    return connection._prepare_cursor(apart)


def _filled(connection: Any, places: Iterable[Any], values: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        _for(connection, values[place.name]) if isinstance(place, _Placeholder) else place
        for place in places
    )


def _for(connection: Any, value: Any) -> Any:
    """Convert a value as Django does for this database."""
    if isinstance(value, models.Model):
        value = value.pk
    if isinstance(value, int) and not -BEYOND <= value < BEYOND:
        raise EmptyResultSet  # No column can hold this value, so no row matches.
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    if isinstance(value, uuid.UUID) and not connection.features.has_native_uuid_field:
        return value.hex
    return value
