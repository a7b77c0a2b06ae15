"""OpenAPI document of the JSON API, derived from the same lists as the checks of requests."""

from typing import Any

from curation.models import Difficulty, OperationType, Status
from curation.search.filters import CHOICES, KEYS
from curation.search.matching import KINDS

# Maximum number of items on a page of a list.
MOST = 200
TEXT = {"type": "string", "pattern": "^[^\\u0000]*$"}
DAY = r"([0-9]{4}-[0-9]{2}-[0-9]{2})?"
WRITTEN = {"decided": {"type": "string", "pattern": rf"^{DAY}(\.\.{DAY})?$"}}
TEXTS = {"type": "array", "items": TEXT, "description": "a list of texts"}


def _one_of(*values: str) -> dict[str, Any]:
    """Return the schema of a value that a person can set. An empty text means unknown."""
    return {"enum": ["", *values], "description": f"one of {', '.join(values)}"}


# Each description completes the error message of an invalid value: “tags is a list of texts”.
DECISION: dict[str, Any] = {
    "type": "object",
    "required": ["status", "version"],
    "additionalProperties": False,
    "properties": {
        "status": {
            "enum": [Status.APPROVED.value, Status.REJECTED.value],
            "description": "approved or rejected",
        },
        "version": {
            "type": "integer",
            "description": "the number that the item had when you read it",
        },
        "request": {"type": "string", "format": "uuid", "description": "a UUID of your own"},
        "reasons": TEXTS,
        "comment": {**TEXT, "description": "a text"},
        "operation_type": _one_of(*OperationType.values),
        "difficulty": _one_of(*Difficulty.values),
        "tags": TEXTS,
    },
}


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document, derived from the same lists as the checks."""
    kind = _parameter("kind", "path", {"enum": list(KINDS)})
    pk = _parameter("id", "path", {"type": "integer"})
    keys = [
        _parameter(
            key,
            "query",
            {
                "type": "array",
                "items": {"enum": list(CHOICES[key])} if key in CHOICES else WRITTEN.get(key, TEXT),
            },
        )
        for key in KEYS
    ]
    page = [
        _parameter("after", "query", {"type": "string"}),
        _parameter("size", "query", {"type": "integer", "minimum": 1, "maximum": MOST}),
    ]
    paths = {
        "/api/v1/{kind}/": {"get": _operation("List items", [kind, *keys, *page])},
        "/api/v1/{kind}/{id}/": {"get": _operation("Read an item", [kind, pk])},
        "/api/v1/{kind}/{id}/decision": {"post": _operation("Decide", [kind, pk], DECISION)},
        "/api/v1/{kind}/{id}/claim": {
            "post": _operation("Claim an item", [kind, pk]),
            "delete": _operation("Release the claim", [kind, pk]),
        },
        "/api/v1/next": {"post": _operation("Claim the next item of the queue", keys)},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Curation", "version": "1"},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {"type": "object", "properties": {"error": {"type": "string"}}},
            },
        },
    }


def _parameter(name: str, place: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


def _operation(
    summary: str, parameters: list[dict[str, Any]], body: dict[str, Any] | None = None
) -> dict[str, Any]:
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    sorry = {
        code: {"description": meaning, "content": error}
        for code, meaning in {
            "400": "Not understood", "401": "No token", "403": "Not a reviewer",
            "404": "Not found", "405": "Another method",
            "409": "Changed, claimed by another reviewer, or `request` was used before",
            "503": "The database is unavailable: the same request may be sent again",
        }.items()
    }  # fmt: skip
    operation: dict[str, Any] = {
        "summary": summary,
        "operationId": summary.lower().replace(" ", "-"),
        "parameters": parameters,
        "responses": {"200": {"description": "Done"}, **sorry},
    }
    if body:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": body}},
        }
    return operation
