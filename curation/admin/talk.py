"""Admin of comments on lines and of notices."""

from django.contrib import admin

from curation.admin.decisions import BlindAdmin
from curation.admin.read_only import ReadOnlyAdmin
from curation.models import LineComment, Notice


@admin.register(LineComment)
class LineCommentAdmin(BlindAdmin[LineComment]):
    list_display = ("about", "file", "line", "author", "text", "created_at", "resolved_by")
    list_filter = ("created_at",)
    list_select_related = ("kernel", "pair", "author", "resolved_by")
    list_texts = ("text",)


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin[Notice]):
    """Admin of notices: the column `trouble` says why one could not be sent."""

    list_display = ("user", "kind", "text", "created_at", "read_at", "sent_at", "trouble")
    list_filter = ("kind", "created_at")
    list_select_related = ("user",)
    search_fields = ("user__username", "text")
