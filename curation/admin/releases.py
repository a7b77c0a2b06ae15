"""What left the house."""

from django.contrib import admin
from django.utils.safestring import SafeString

from curation.admin.links import list_link
from curation.admin.read_only import AboutItemAdmin, ReadOnlyAdmin
from curation.models import Release, ReleaseMember


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin[Release]):
    list_display = ("name", "seed", "code_version", "created_by", "created_at")
    list_select_related = ("created_by",)
    search_fields = ("name", "code_version")
    readonly_fields = ("members",)

    @admin.display
    def members(self, release: Release) -> SafeString:
        return list_link(ReleaseMember, release__id__exact=release.pk)


@admin.register(ReleaseMember)
class ReleaseMemberAdmin(AboutItemAdmin[ReleaseMember]):
    list_display = ("record_id", "release", "about", "split", "weight")
    # No filter by release: its choices would read every manifest. A release links to its members.
    list_filter = ("split",)
    list_select_related = ("kernel", "pair", "release")
    search_fields = ("record_id", "content_hash__startswith")
