"""The button on an item's page by which a curator has it checked again."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from curation.errors import CurationError
from curation.models import Device, Kernel
from curation.review.access import item_or_404, person
from curation.review.views.item import address
from validation.requests import request_validation

may_ask = permission_required("curation.add_validationrun", raise_exception=True)


@may_ask
@require_POST
def validate_item(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """A kernel is compiled; a pair runs where this installation's pairs do."""
    item = item_or_404(kind, pk)
    kernel = isinstance(item, Kernel)
    device = Device.COMPILER if kernel else Device(settings.VALIDATION_DEVICE)
    try:
        request_validation([item], device=device, requested_by=person(request))
    except CurationError as error:
        messages.warning(request, f"Not queued: {error}")
    else:
        messages.success(request, f"Queued: {device.label}. Its result will stand on this page.")
    return redirect(address(item))
