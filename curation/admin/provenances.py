"""Admin of the places of kernels: source files, and lines in them."""

from django.contrib import admin

from curation.admin.read_only import ReadOnlyAdmin
from curation.models import CompiledGraph, Provenance, SourceFile, SourceText


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
