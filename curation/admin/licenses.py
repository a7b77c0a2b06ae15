"""Admin of licenses, whose verdict curators may correct, and of their read-only evidence."""

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from curation.admin.lean import LeanAdmin
from curation.admin.read_only import ReadOnlyAdmin
from curation.models import License, LicenseEvidence, LicenseReading


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
