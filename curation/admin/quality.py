"""Admin of the findings of quality gates."""

from django.contrib import admin

from curation.admin.read_only import ReadOnlyAdmin
from curation.models import QualityFinding


@admin.register(QualityFinding)
class QualityFindingAdmin(ReadOnlyAdmin[QualityFinding]):
    list_display = ("gate", "kernel", "passed", "action", "value", "message", "rules")
    list_filter = ("passed", "action")
    list_select_related = ("kernel",)
    list_texts = ("message",)
    search_fields = ("gate", "kernel__name")
