"""Who decided what, and who is looking at what."""

from django.contrib import admin

from curation.admin.read_only import AboutItemAdmin
from curation.models import Claim, Decision


@admin.register(Decision)
class DecisionAdmin(AboutItemAdmin[Decision]):
    list_display = (
        "about", "status", "previous_status", "actor", "user", "rules", "comment", "created_at",
    )  # fmt: skip
    list_filter = ("status", "actor", "created_at")
    list_select_related = ("kernel", "pair", "user")
    list_texts = ("comment",)
    search_fields = (*AboutItemAdmin.search_fields, "user__username")


@admin.register(Claim)
class ClaimAdmin(AboutItemAdmin[Claim]):
    list_display = ("about", "user", "created_at", "expires_at")
    list_select_related = ("kernel", "pair", "user")
    search_fields = (*AboutItemAdmin.search_fields, "user__username")
