"""Validations, to look at."""

from django.contrib import admin
from django.utils.safestring import SafeString

from curation.admin.links import list_link
from curation.admin.read_only import AboutItemAdmin, ReadOnlyAdmin
from curation.models import ValidationCheck, ValidationResult, ValidationRun


@admin.register(ValidationRun)
class ValidationRunAdmin(ReadOnlyAdmin[ValidationRun]):
    list_display = (
        "__str__", "state", "device", "done", "attempts", "requested_by", "created_at",
        "finished_at", "message",
    )  # fmt: skip
    list_filter = ("state", "device", "created_at")
    list_select_related = ("requested_by",)
    list_texts = ("message",)
    search_fields = ("=id", "requested_by__username")
    readonly_fields = ("results",)

    @admin.display
    def results(self, run: ValidationRun) -> SafeString:
        return list_link(ValidationResult, run__id__exact=run.pk)


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
