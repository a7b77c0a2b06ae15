"""JSON API: list, read, claim and decide, by the same rules as in the browser.

`api_description.openapi()` describes it. Every error is `{"error": "a sentence"}`.
"""

import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any
from urllib.parse import parse_qsl

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.defaults import page_not_found

from curation.decisions import claims
from curation.decisions import second_reviews as second
from curation.decisions.decide import ItemClassification, review
from curation.decisions.queue import next_item
from curation.errors import Conflict, CurationError
from curation.evidence.claim_sheet.claim_facts import sheets
from curation.models import Agreement, Decision, Kernel, SecondReview, Status
from curation.search.filters import Filter
from curation.search.matching import KINDS
from curation.unstorable import unstorable
from curation.web.access import item_or_404, kind_of, number
from curation.web.api_description import DECISION, MOST, openapi
from curation.web.lists.listing import Listing
from curation.web.tokens import owner

ADDRESS = "/api/"
Answer = Callable[..., JsonResponse]


class ApiError(CurationError):
    """The request is malformed or not allowed; `code` is the HTTP status."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def endpoint(*methods: str) -> Callable[[Answer], Answer]:
    """Decorate a view: require a token and the right to review, and turn errors into JSON."""

    def wrap(answer: Answer) -> Answer:
        @csrf_exempt
        @login_not_required
        @wraps(answer)
        def view(request: HttpRequest, *args: Any, **kwargs: Any) -> JsonResponse:
            try:
                if request.method not in methods:
                    raise ApiError(405, f"This URL accepts {' or '.join(methods)}.")
                request.user = _caller(request)
                return answer(request, request.user, *args, **kwargs)
            except ApiError as error:
                return _sorry(error.code, error, methods)
            except Conflict as error:
                return _sorry(409, error)
            except CurationError as error:
                return _sorry(400, error)
            except Http404:
                return _sorry(404, CurationError("There is no such item."))

        return view

    return wrap


@endpoint("GET", "HEAD")
def items(request: HttpRequest, user: User, kind: str) -> JsonResponse:
    """Return a page of the kernels or pairs that match a filter, newest first."""
    written = parse_qsl(request.META["QUERY_STRING"], keep_blank_values=True)
    own = {key: value for key, value in written if key in ("after", "size")}
    filter = Filter.parse((key, value) for key, value in written if key not in own)
    size = own.get("size", "50")
    if not 1 <= number(size) <= MOST:
        raise ApiError(400, f"size is {size!r}: write a number from 1 to {MOST}.")
    listing = Listing(KINDS[kind], filter, user)
    page = listing.page("newest", own.get("after", ""), number(size))
    shown = _short(kind, page.items, user)
    return JsonResponse({"items": shown, "after": page.following or None})


@endpoint("GET", "HEAD")
def item(request: HttpRequest, user: User, kind: str, pk: int) -> JsonResponse:
    return JsonResponse(_long(item_or_404(kind, pk), user))


@endpoint("POST")
def claim_next(request: HttpRequest, user: User) -> JsonResponse:
    """Claim the next item of the queue, narrowed by a filter in the query."""
    claimed = next_item(user, Filter.from_query(request.META["QUERY_STRING"]))
    if claimed is None:
        return JsonResponse({"item": None})
    whole = item_or_404("kernels" if isinstance(claimed, Kernel) else "pairs", claimed.pk)
    return JsonResponse({"item": _long(whole, user)})


@endpoint("POST", "DELETE")
def claim(request: HttpRequest, user: User, kind: str, pk: int) -> JsonResponse:
    """Claim an item or renew the caller's claim; DELETE releases it."""
    item = item_or_404(kind, pk)
    if request.method == "DELETE":
        released = item.claims.filter(user=user).delete()[0]
        return JsonResponse({"released": bool(released)})
    own_claim = claims.take(item, user)
    if own_claim is None:
        raise Conflict(
            f"{claims.holder(item) or 'Another reviewer'} is reviewing {item} right now."
        )
    return JsonResponse({"token": str(own_claim.token), "until": own_claim.expires_at.isoformat()})


@endpoint("POST")
def decision(request: HttpRequest, user: User, kind: str, pk: int) -> JsonResponse:
    """Decide on an item that still has `version`. Idempotent by the id `request`."""
    body = _body(request)
    item = item_or_404(kind, pk)
    kind_given: dict[str, Any] = {
        name: body[name] for name in ("operation_type", "difficulty") if name in body
    }
    if "tags" in body:
        kind_given["tags"] = tuple(_shortened(body["tags"]))
    made = review(
        item=item,
        user=user,
        status=Status(body["status"]),
        version=body["version"],
        request=_request_id(body),
        kind=replace(ItemClassification.of(item), **kind_given) if kind_given else None,
        reasons=_shortened(body.get("reasons", [])),
        comment=body.get("comment", "")[:10_000],
    )
    if made is None:
        return JsonResponse({"second_review": True})
    return JsonResponse({"status": made.status, "version": made.version + 1})


@csrf_exempt
@login_not_required
def description(request: HttpRequest) -> JsonResponse:
    return JsonResponse(openapi())


def not_here(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Handle 404 of the site. URLs of the API get JSON."""
    if request.path.startswith(ADDRESS):
        return _sorry(404, CurationError("There is no such URL."))
    return page_not_found(request, exception)


def _caller(request: HttpRequest) -> User:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    user = owner(secret.strip()) if scheme.lower() == "bearer" else None
    if user is None:
        raise ApiError(
            401,
            "The token is missing, unknown, expired or revoked. "
            "Send one as “Authorization: Bearer …”.",
        )
    if not user.has_perm("curation.add_decision"):
        raise ApiError(403, "Your account may not review.")
    return user


def _sorry(code: int, error: CurationError, methods: tuple[str, ...] = ()) -> JsonResponse:
    headers = {"WWW-Authenticate": "Bearer"} if code == 401 else {}
    headers |= {"Allow": ", ".join(methods)} if code == 405 else {}
    return JsonResponse({"error": str(error)}, status=code, headers=headers)


def _body(request: HttpRequest) -> dict[str, Any]:
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        raise ApiError(400, "The body is not JSON.") from None
    if unstorable(body, "body"):
        raise ApiError(400, "The body contains a zero byte or a lone surrogate.")
    if not isinstance(body, dict):
        raise ApiError(400, "The body is not a JSON object.")
    fields = DECISION["properties"]
    if unknown := body.keys() - fields.keys():
        raise ApiError(400, f"{min(unknown)!r} is not one of {', '.join(fields)}.")
    for name in {*DECISION["required"], *body}:
        if not _fits(body.get(name), fields[name]):
            raise ApiError(400, f"{name} is {fields[name]['description']}.")
    return body


def _fits(value: object, rule: dict[str, Any]) -> bool:
    if "enum" in rule:
        return value in rule["enum"]
    if rule["type"] == "array":
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    # Not `isinstance`, because True is an int.
    return type(value) is {"string": str, "integer": int}[rule["type"]]


def _shortened(texts: list[str]) -> list[str]:
    return [text[:100] for text in texts[:20]]


def _request_id(body: dict[str, Any]) -> uuid.UUID:
    try:
        return uuid.UUID(body["request"]) if "request" in body else uuid.uuid4()
    except ValueError:
        raise ApiError(400, "request is not a UUID.") from None


def _short(kind: str, items: Sequence[Any], user: User) -> list[dict[str, Any]]:
    """Return the fields of listed items. An item under blind review is shown as pending."""
    visibilities = second.visibilities(KINDS[kind], [item.pk for item in items], user)
    return [
        {
            "kind": kind,
            "id": item.pk,
            "name": str(item),
            "status": Status.PENDING
            if visibilities.get(item.pk) == second.Visibility.BLIND
            else item.status,
            "disputed": visibilities.get(item.pk) == second.Visibility.DISPUTED,
            "version": item.version,
            "content_hash": item.content_hash,
            "operation_type": item.operation_type,
            "difficulty": item.difficulty,
            "tags": item.tags,
            "license": item.license.expression if item.license else None,
            "license_verdict": item.license_verdict,
            "open_claims": item.open_claims,
            "url": item.get_absolute_url(),
        }
        for item in items
    ]


def _long(item: Any, user: User) -> dict[str, Any]:
    names = (
        ("function_source", "standalone_source", "launcher_source", "parameters")
        if isinstance(item, Kernel)
        else ("python_code", "triton_code", "test_code", "entry_point", "origin")
    )
    [short] = _short(kind_of(item), [item], user)
    dispute = second.given(item).filter(state=Agreement.DISPUTED).first()
    verdicts = [_verdict(dispute.first), _verdict(dispute)] if dispute else []
    [sheet] = sheets([item]).values()
    shown = [{"topic": c.topic, "state": c.state, "text": c.text} for c in sheet]
    return (
        short
        | {"claims": shown, "verdicts": verdicts}
        | {name: getattr(item, name) for name in names}
    )


def _verdict(row: Decision | SecondReview) -> dict[str, Any]:
    """Return one of the two verdicts of a dispute."""
    verdict = {"status": row.status, "reasons": row.reasons, "comment": row.comment}
    return {"user": str(row.user), **verdict}
