"""Admin of validations: a curator requests them and looks at their results."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from curation.admin.items import KernelAdmin, PairAdmin
from curation.admin.links import list_link, run_link
from curation.admin.read_only import AboutItemAdmin, ReadOnlyAdmin
from curation.errors import CurationError
from curation.models import (
    Device,
    Kernel,
    Pair,
    TriedCase,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
)
from curation.text import pluralize
from validation.requests import request_validation

# Items with actions of this package, because `curation` does not import validation.
admin.site.unregister((Kernel, Pair))


class Asking:
    """Permission to request validations."""

    def has_validate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("curation.add_validationrun")


@admin.register(Kernel)
class CheckedKernelAdmin(Asking, KernelAdmin):
    actions = ("compile_selected",)

    @admin.action(description="Compile the selected kernels", permissions=["validate"])
    def compile_selected(self, request: HttpRequest, queryset: QuerySet[Kernel]) -> None:
        _ask(request, queryset, Device.COMPILER)


@admin.register(Pair)
class CheckedPairAdmin(Asking, PairAdmin):
    actions = ("check_on_gpu", "check_in_interpreter")

    @admin.action(description="Validate the selected pairs on a GPU", permissions=["validate"])
    def check_on_gpu(self, request: HttpRequest, queryset: QuerySet[Pair]) -> None:
        _ask(request, queryset, Device.CUDA)

    @admin.action(
        description="Validate the selected pairs in the interpreter", permissions=["validate"]
    )
    def check_in_interpreter(self, request: HttpRequest, queryset: QuerySet[Pair]) -> None:
        _ask(request, queryset, Device.INTERPRETER)


def _ask(request: HttpRequest, queryset: QuerySet[Any], device: Device) -> None:
    assert isinstance(request.user, User)  # noqa: S101 - the admin is for people logged in
    items = queryset.select_related(None).only("pk", "content_hash").order_by("pk")
    try:
        runs = request_validation(items.iterator(), device=device, requested_by=request.user)
    except CurationError as error:
        messages.warning(request, f"Not queued: {error}")
        return
    item_count = pluralize(sum(run.total for run in runs), str(queryset.model._meta.verbose_name))
    said = f"{item_count} in {pluralize(len(runs), 'run')}: queued."
    ids = ",".join(str(run.pk) for run in runs)
    messages.success(request, list_link(ValidationRun, said, id__in=ids))


@admin.register(ValidationRun)
class ValidationRunAdmin(ReadOnlyAdmin[ValidationRun]):
    list_display = (
        "__str__", "on_site", "state", "device", "done", "attempts", "requested_by", "created_at",
        "finished_at", "message",
    )  # fmt: skip
    list_filter = ("state", "device", "created_at")
    list_select_related = ("requested_by",)
    list_texts = ("message",)
    search_fields = ("=id", "requested_by__username")
    readonly_fields = (
        "on_site",
        "results",
    )

    @admin.display(description="run")
    def on_site(self, run: ValidationRun) -> SafeString:
        return run_link(run)

    @admin.display
    def results(self, run: ValidationRun) -> SafeString:
        return list_link(ValidationResult, run__id__exact=run.pk)


@admin.register(TriedCase)
class TriedCaseAdmin(ReadOnlyAdmin[TriedCase]):
    list_display = (
        "__str__", "on_site", "state", "device", "requested_by", "created_at", "message",
    )  # fmt: skip
    list_filter = ("state", "device", "created_at")
    list_select_related = ("requested_by", "pair")
    list_texts = ("message",)
    search_fields = ("=id", "requested_by__username", "pair__slug")
    readonly_fields = ("on_site",)

    @admin.display(description="run")
    def on_site(self, run: TriedCase) -> SafeString:
        return run_link(run)


@admin.register(ValidationResult)
class ValidationResultAdmin(AboutItemAdmin[ValidationResult]):
    list_display = ("about", "verdict", "run", "seconds", "message", "created_at")
    list_filter = ("verdict", "run__device")
    list_select_related = ("kernel", "pair", "run")
    list_texts = ("message",)
    readonly_fields = ("checks",)

    @admin.display
    def checks(self, result: ValidationResult) -> SafeString:
        return list_link(ValidationCheck, result__id__exact=result.pk)


@admin.register(ValidationCheck)
class ValidationCheckAdmin(ReadOnlyAdmin[ValidationCheck]):
    list_display = ("name", "outcome", "about", "message")
    list_filter = ("outcome",)
    list_select_related = ("result__kernel", "result__pair")
    list_texts = ("message",)
    search_fields = ("name", "result__kernel__name", "result__pair__slug")

    @admin.display(description="about")
    def about(self, check: ValidationCheck) -> str:
        return str(check.result.item)
