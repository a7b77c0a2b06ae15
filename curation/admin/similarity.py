"""What machines found alike: fingerprints, twins, and matches with benchmarks."""

from django.contrib import admin

from curation.admin.read_only import AboutItemAdmin, ReadOnlyAdmin
from curation.models import Band, ContaminationMatch, DuplicateLink, Fingerprint


@admin.register(Fingerprint)
class FingerprintAdmin(AboutItemAdmin[Fingerprint]):
    list_display = ("about", "scheme", "token_count", "syntax_hash")
    search_fields = (*AboutItemAdmin.search_fields, "syntax_hash__startswith")


@admin.register(Band)
class BandAdmin(ReadOnlyAdmin[Band]):
    list_display = ("value", "number", "about")
    list_select_related = ("fingerprint__kernel", "fingerprint__pair")
    search_fields = ("value__exact",)

    @admin.display(description="about")
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


@admin.register(ContaminationMatch)
class ContaminationMatchAdmin(AboutItemAdmin[ContaminationMatch]):
    list_display = ("about", "benchmark", "problem", "method", "similarity")
    list_filter = ("method", ("benchmark", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("kernel", "pair", "benchmark")
    search_fields = (*AboutItemAdmin.search_fields, "problem")
