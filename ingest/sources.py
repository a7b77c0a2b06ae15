"""Sources by the name, URL or path that a person typed. An unknown source is added."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from curation.errors import CurationError
from curation.models import Category, Origin, Repository
from ingest.compiled import FILES
from ingest.git import Network, Selection, Source, SourceKind, parse_source
from ingest.git.submodules import Submodule
from ingest.licenses.expressions import normalize
from ingest.local_clones import as_its_original
from ingest.pipeline import EVERYTHING


def network() -> Network:
    """Return the servers from which sources may be fetched."""
    return Network(allowed_hosts=tuple(host.lower() for host in settings.GIT_ALLOWED_HOSTS))


def wanted_files(repository: Repository) -> Selection:
    """Return the selection of a source's files in which kernels are searched for."""
    if repository.origin == Origin.INDUCTOR:
        return FILES
    return Selection(
        include=tuple(repository.include_globs) or EVERYTHING,
        exclude=tuple(repository.exclude_globs),
        sparse_paths=tuple(repository.sparse_paths),
    )


def readable_source(repository: Repository) -> Source:
    """Return the URL or folder to read a repository from. A clone in LOCAL_CLONES comes first.

    The clone only gives the commit. Name, URL and license are those of the repository.
    """
    source = parse_source(repository.url, allow_local=repository.origin != Origin.GIT)
    if settings.LOCAL_CLONES and source.kind is SourceKind.REMOTE:
        clone = Path(settings.LOCAL_CLONES) / f"{source.name}.git"
        if clone.is_dir():
            return parse_source(str(clone.resolve()), allow_local=True)
    return source


def known_source(text: str) -> Repository | None:
    """Return a source by its name, its URL or its path, or None."""
    if found := Repository.objects.named(text).first():
        return found
    path = _folder(text)
    if path is not None:
        return Repository.objects.filter(url=path).first()
    try:
        location = parse_source(text).location
    except CurationError:
        return None
    return Repository.objects.filter(url__iexact=location).first()


def take_up(text: str, **columns: Any) -> Repository:
    """Return the source that `text` names. If it is unknown, add it with these columns.

    A local clone of a known source gets the category, globs and role of that source. A folder that
    overlaps a known folder is refused, because each kernel in both would be stored twice.
    """
    if known := known_source(text):
        if differing := [name for name in columns if getattr(known, name) != columns[name]]:
            raise CurationError(
                f"{known} is known already, with another {differing[0]}. Change it in the admin."
            )
        return known
    path = _folder(text)
    source = parse_source(path or text, allow_local=True)
    if source.kind is SourceKind.REMOTE:
        return Repository.objects.create(url=source.location, name=source.name, **columns)
    _refuse_overlap(Path(source.location))
    return Repository.objects.create(
        url=source.location,
        name=source.location,
        **{"origin": Origin.FOLDER} | as_its_original(Path(source.location)) | columns,
    )


def take_up_compiled(text: str, stated: dict[str, str]) -> Repository:
    """Return the source of a folder that torch.compile wrote. Add it if it is unknown.

    stated: license and copyright that a person states for the model. If empty, keep earlier ones.
    """
    if _folder(text) is None:
        raise CurationError(f"There is no folder {text}.")
    if stated.get("license") and normalize(stated["license"]) is None:
        raise CurationError(f"{stated['license']!r} is no SPDX expression.")
    row = take_up(text, origin=Origin.INDUCTOR, category=Category.INDUCTOR)
    if stated:
        row.stated = stated
        row.save(update_fields=["stated"])
    return row


def take_up_submodule(parent: Repository, submodule: Submodule) -> Repository:
    """Return the source of a submodule, at the commit that the parent repository names."""
    row, _ = Repository.objects.get_or_create(
        url=submodule.source.location,
        defaults={
            "name": submodule.source.name,
            "category": parent.category,
            "tier": parent.tier,
            "role": parent.role,
            "ref": submodule.commit,
        },
    )
    return row


def _refuse_overlap(folder: Path) -> None:
    for url in Repository.objects.exclude(origin=Origin.GIT).values_list("url", flat=True):
        source_folder = Path(url)
        if source_folder in folder.parents:
            relation = "lies in"
        elif folder in source_folder.parents:
            relation = "holds"
        elif source_folder.is_dir() and source_folder.samefile(folder):
            relation = "is"
        else:
            continue
        raise CurationError(
            f"{folder} {relation} the known source {source_folder}: "
            "kernels in both would count twice. "
            f"Ingest {source_folder} instead."
        )


def _folder(text: str) -> str | None:
    folder = Path(text).expanduser()
    return str(folder.resolve()) if folder.is_dir() else None


def chosen(text: str | None) -> QuerySet[Repository]:
    """Return the source that a command names, or by default all sources that were read."""
    if text is None:
        return Repository.objects.exclude(last_ingested_at=None)
    source = known_source(text)
    if source is None:
        raise CurationError(f"Unknown source {text!r}. Ingest it first: manage.py ingest {text}")
    return Repository.objects.filter(pk=source.pk)
