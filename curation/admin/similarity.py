"""Admin of fingerprints, near-duplicates, copy flags and benchmark matches."""

from django.contrib import admin

from curation.admin.read_only import AboutItemAdmin, ReadOnlyAdmin
from curation.models import Band, ContaminationMatch, CopyFlag, DuplicateLink, Fingerprint


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
