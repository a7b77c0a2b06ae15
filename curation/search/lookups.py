"""Database lookup `column__among=keys`.

`among` is `in` with the complete list as one parameter. Django's `in` prepares each key separately.
For a thousand keys, this takes longer than the query. Pass a set if speed matters, because Django
inspects each element of a list.
"""

import json
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db.models import (
    AutoField,
    CharField,
    ForeignKey,
    IntegerField,
    Lookup,
)


class Among(Lookup):
    lookup_name = "among"
    prepare_rhs = False

    def get_prep_lookup(self) -> Any:
        return list(self.rhs)

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, params = self._column(compiler, connection)
        keys = json.dumps(self.rhs)
        return f"{column} IN (SELECT value FROM json_each(%s))", [*params, keys]  # noqa: S608 - no foreign text

    def as_postgresql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        column, params = self._column(compiler, connection)
        return f"{column} = ANY(%s)", [*params, self.rhs]

    def _column(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        if not self.rhs:
            raise EmptyResultSet
        column, params = self.process_lhs(compiler, connection)
        return column, list(params)


def register() -> None:
    for field in (AutoField, CharField, ForeignKey, IntegerField):
        field.register_lookup(Among)
