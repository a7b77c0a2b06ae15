"""Admin pages of the evidence: licenses, provenances, quality, similarity, opt-outs."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from curation.admin.lean import LeanAdmin
from curation.admin.read_only import AboutItemAdmin, ReadOnlyAdmin
from curation.evidence.opt_outs import mark_opted_out
from curation.models import (
    Band,
    CompiledGraph,
    ContaminationMatch,
    CopyFlag,
    DuplicateLink,
    Fingerprint,
    License,
    LicenseEvidence,
    LicenseReading,
    OptOut,
    PassRate,
    Provenance,
    QualityFinding,
    RepairTrace,
    SourceFile,
    SourceText,
)


@admin.register(License)
class LicenseAdmin(LeanAdmin[License]):
    """Admin of licenses. Ingests add them; only the verdict is editable."""

    fields = ("expression", "name", "verdict", "text")
    readonly_fields = ("expression", "text")
    list_display = ("expression", "name", "verdict")
    list_filter = ("verdict",)
    search_fields = ("expression", "name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(LicenseEvidence)
class LicenseEvidenceAdmin(ReadOnlyAdmin[LicenseEvidence]):
    list_display = (
        "path", "repository", "license", "verdict", "read_from", "confidence", "detector",
        "created_at",
    )  # fmt: skip
    list_filter = ("verdict", "read_from", "repository")
    list_select_related = ("repository", "license")
    search_fields = ("path", "license__expression")


@admin.register(LicenseReading)
class LicenseReadingAdmin(ReadOnlyAdmin[LicenseReading]):
    list_display = ("key",)
    search_fields = ("key__startswith",)


@admin.register(SourceFile)
class SourceFileAdmin(ReadOnlyAdmin[SourceFile]):
    list_display = ("path", "repository", "commit", "lines", "size", "retired_at", "created_at")
    list_filter = (("retired_at", admin.EmptyFieldListFilter), "repository")
    list_select_related = ("repository",)
    search_fields = ("path", "blob_hash__startswith", "commit__startswith")


@admin.register(SourceText)
class SourceTextAdmin(ReadOnlyAdmin[SourceText]):
    list_display = ("sha256",)
    search_fields = ("sha256__startswith",)


@admin.register(CompiledGraph)
class CompiledGraphAdmin(ReadOnlyAdmin[CompiledGraph]):
    list_display = ("model", "trace", "repository", "path")
    list_filter = ("repository",)
    list_select_related = ("repository",)
    search_fields = ("model", "trace")


@admin.register(Provenance)
class ProvenanceAdmin(ReadOnlyAdmin[Provenance]):
    list_display = ("qualname", "kernel", "source_file", "start_line", "end_line", "container")
    list_filter = ("container",)
    list_select_related = ("kernel", "source_file__repository")
    search_fields = ("qualname", "source_file__path")
    readonly_fields = ("url",)


@admin.register(QualityFinding)
class QualityFindingAdmin(ReadOnlyAdmin[QualityFinding]):
    list_display = ("gate", "kernel", "passed", "action", "value", "message", "rules")
    list_filter = ("passed", "action")
    list_select_related = ("kernel",)
    list_texts = ("message",)
    search_fields = ("gate", "kernel__name")


@admin.register(Fingerprint)
class FingerprintAdmin(AboutItemAdmin[Fingerprint]):
    list_display = ("about", "token_count", "syntax_hash", "placed", "stars", "compared_with")
    list_filter = ("placed", "scheme")
    search_fields = (*AboutItemAdmin.search_fields, "syntax_hash__startswith")


@admin.register(Band)
class BandAdmin(ReadOnlyAdmin[Band]):
    list_display = ("value", "number", "about")
    list_select_related = ("fingerprint__kernel", "fingerprint__pair")
    search_fields = ("value__exact",)

    @admin.display(description="item")
    def about(self, band: Band) -> str:
        return str(band.fingerprint.item)


@admin.register(DuplicateLink)
class DuplicateLinkAdmin(AboutItemAdmin[DuplicateLink]):
    list_display = ("about", "stands_for_it", "likeness", "similarity")
    list_filter = ("likeness",)
    list_select_related = ("kernel", "pair", "of_kernel", "of_pair")

    @admin.display(description="represented by")
    def stands_for_it(self, link: DuplicateLink) -> str:
        return str(link.of_kernel or link.of_pair)


@admin.register(CopyFlag)
class CopyFlagAdmin(ReadOnlyAdmin[CopyFlag]):
    list_display = ("kernel", "blocked", "blocked_license", "likeness", "similarity")
    list_filter = ("likeness",)
    list_select_related = ("kernel", "blocked__license")
    search_fields = ("kernel__name", "blocked__name")

    @admin.display(description="blocked by")
    def blocked_license(self, flag: CopyFlag) -> str:
        return str(flag.blocked.license or "")


@admin.register(ContaminationMatch)
class ContaminationMatchAdmin(AboutItemAdmin[ContaminationMatch]):
    list_display = ("about", "benchmark", "problem", "method", "similarity", "constants_differ")
    list_filter = ("method", "constants_differ", ("benchmark", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("kernel", "pair", "benchmark")
    search_fields = (*AboutItemAdmin.search_fields, "problem")


@admin.register(RepairTrace)
class RepairTraceAdmin(ReadOnlyAdmin[RepairTrace]):
    list_display = ("kind", "pair", "line", "verdict", "device", "created_at")
    list_filter = ("kind", "verdict", "device")
    list_select_related = ("pair",)
    search_fields = ("pair__slug",)


@admin.register(OptOut)
class OptOutAdmin(LeanAdmin[OptOut]):
    fields = ("repository", "path", "author", "reason", "lifted_at", "created_by", "created_at")
    readonly_fields = ("lifted_at", "created_by", "created_at")
    autocomplete_fields = ("repository",)
    list_display = ("__str__", "reason", "lifted_at", "created_by", "created_at")
    list_filter = (("lifted_at", admin.EmptyFieldListFilter),)
    list_select_related = ("repository", "created_by")
    search_fields = ("author", "path", "repository__name")
    actions = ("lift",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Make an existing opt-out read-only except for its reason."""
        if obj is not None:
            return (*self.readonly_fields, "repository", "path", "author")
        return self.readonly_fields

    def save_model(self, request: HttpRequest, obj: OptOut, form: Any, change: bool) -> None:
        if not change and isinstance(request.user, User):
            obj.created_by = request.user
        super().save_model(request, obj, form, change)
        if not change:
            marked = mark_opted_out(Provenance.objects.all())
            messages.info(request, f"{marked} places of kernels are excluded by it.")

    @admin.action(description="Lift", permissions=["change"])
    def lift(self, request: HttpRequest, queryset: QuerySet[OptOut]) -> None:
        lifted = 0
        for row in queryset.filter(lifted_at=None):
            OptOut.objects.filter(pk=row.pk, lifted_at=None).update(lifted_at=timezone.now())
            self.log_change(request, row, "Lifted.")
            lifted += 1
        marked = mark_opted_out(Provenance.objects.all())
        messages.success(
            request, f"{lifted} lifted; {marked} places of kernels are included again."
        )


@admin.register(PassRate)
class PassRateAdmin(ReadOnlyAdmin[PassRate]):
    list_display = ("pair", "model", "k", "n", "passed", "created_at")
    list_filter = ("model",)
    list_select_related = ("pair",)
    search_fields = ("pair__slug", "model")
