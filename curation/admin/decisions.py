"""Admin of decisions, claims, reasons, reviews and login failures."""

from typing import Any

from django.contrib import admin
from django.db.models import Field, Model, QuerySet
from django.forms import Field as FormField
from django.http import HttpRequest

from curation.admin.lean import LeanAdmin
from curation.admin.read_only import About, AboutItemAdmin, ReadOnlyAdmin
from curation.decisions import second_reviews as second
from curation.models import (
    BulkDecision,
    Claim,
    Correction,
    Decision,
    DecisionReason,
    Figures,
    Kernel,
    LoginFailure,
    Pair,
    Question,
    SecondReview,
    Skip,
)
from curation.web.access import person


class BlindAdmin(AboutItemAdmin[About]):
    """Admin of rows that reveal the decision on an item.

    Hidden from a person who may still give the second review of that item.
    """

    def get_queryset(self, request: HttpRequest) -> QuerySet[About]:
        rows = super().get_queryset(request)
        for model, item in ((Kernel, "kernel_id"), (Pair, "pair_id")):
            rows = rows.exclude(second.blind(model, person(request), item))
        return rows


@admin.register(Decision)
class DecisionAdmin(BlindAdmin[Decision]):
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


@admin.register(DecisionReason)
class DecisionReasonAdmin(LeanAdmin[DecisionReason]):
    """Admin of decision reasons. Decisions copy the text; an unwanted reason is not offered."""

    list_display = ("text", "status", "position", "offered")
    list_editable = ("position", "offered")
    list_filter = ("status", "offered")

    def formfield_for_dbfield(
        self, db_field: "Field[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> FormField | None:
        """Name each field for a screen reader: those in the list have no label."""
        field: FormField | None = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name in self.list_editable:
            field.widget.attrs["aria-label"] = db_field.verbose_name
        return field

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(BulkDecision)
class BulkDecisionAdmin(ReadOnlyAdmin[BulkDecision]):
    list_display = ("user", "status", "count", "filter", "created_at", "undone_at")
    list_select_related = ("user",)
    list_texts = ("filter",)


@admin.register(Correction)
class CorrectionAdmin(BlindAdmin[Correction]):
    list_display = ("about", "user", "created_at")
    list_select_related = ("kernel", "pair", "user")


@admin.register(Question)
class QuestionAdmin(AboutItemAdmin[Question]):
    list_display = ("about", "asker", "asked", "text", "answered_by", "created_at")
    list_select_related = ("kernel", "pair", "asker", "asked", "answered_by")
    list_texts = ("text",)


@admin.register(SecondReview)
class SecondReviewAdmin(BlindAdmin[SecondReview]):
    list_display = ("about", "state", "user", "status", "created_at", "given_at")
    list_filter = ("state",)
    list_select_related = ("kernel", "pair", "user")


@admin.register(Skip)
class SkipAdmin(AboutItemAdmin[Skip]):
    list_display = ("about", "user", "created_at")
    list_select_related = ("kernel", "pair", "user")


@admin.register(LoginFailure)
class LoginFailureAdmin(ReadOnlyAdmin[LoginFailure]):
    list_display = ("name", "address", "created_at")
    search_fields = ("name", "address")


@admin.register(Figures)
class FiguresAdmin(ReadOnlyAdmin[Figures]):
    list_display = ("name", "gathered_at")
