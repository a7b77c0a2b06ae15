"""Lookup of the source that a person names at the shell, and adding of new ones."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from curation.errors import CurationError
from curation.models import Category, Origin, Repository
from ingest.git import Network, Source, SourceKind, parse_source
from ingest.git.submodules import Submodule
from ingest.local_clones import as_its_original


def network() -> Network:
    """Return the servers that sources may be fetched from."""
    return Network(allowed_hosts=tuple(host.lower() for host in settings.GIT_ALLOWED_HOSTS))


def readable_source(repository: Repository) -> Source:
    """Return the place that a repository is read from: its own, or its clone in LOCAL_CLONES.

    Name, URL and license of the repository stay. Its commit is the clone's.
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
    """Return the source that `text` names; an unknown one is added, with these columns.

    A local clone of a known source gets its category, globs and role. A folder that overlaps a
    known one is refused: each kernel in both would be stored twice.
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
        origin=Origin.FOLDER,
        **as_its_original(Path(source.location)) | columns,
    )


def take_up_compiled(text: str) -> Repository:
    """Return a folder of torch.compile as a source of its own kind."""
    path = _folder(text)
    if path is None:
        raise CurationError(f"There is no folder {text}.")
    if not Repository.objects.filter(url=path).exists():
        _refuse_overlap(Path(path))
    row, _ = Repository.objects.get_or_create(
        url=path,
        defaults={"name": path, "origin": Origin.INDUCTOR, "category": Category.INDUCTOR},
    )
    if row.origin != Origin.INDUCTOR:
        raise CurationError(f"{path} is known already, as an ordinary folder.")
    return row


def take_up_submodule(parent: Repository, submodule: Submodule) -> Repository:
    """Return the source of a submodule, at the commit that its parent names."""
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
    """Return the source that a command names, or all sources that were read."""
    if text is None:
        return Repository.objects.exclude(last_ingested_at=None)
    source = known_source(text)
    if source is None:
        raise CurationError(f"Unknown source {text!r}. Ingest it first: manage.py ingest {text}")
    return Repository.objects.filter(pk=source.pk)
