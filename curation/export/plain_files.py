"""Source files that may be distributed unchanged with their paths, and reasons for other files.

An eligible file contains kernels, all with a permissive license in this file. Licenses of other
copies do not count, except that a blocked copy blocks a kernel everywhere. Decisions,
near-duplicates and overlaps are ignored, because these files are sources and no dataset.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import PurePosixPath
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from curation.evidence.opt_outs import opted_out
from curation.evidence.places import LicenseTerms
from curation.evidence.sources import ExportSource
from curation.evidence.subjects import chunks
from curation.export.facts import LOCAL_PATH
from curation.export.notices import texts_named
from curation.models import Kernel, Language, LicenseVerdict, Provenance, SourceFile

# Maximum bytes of a path and of a name. File systems limit a name to 255; suffixes are added.
LONGEST_PATH = 1000
LONGEST_NAME = 240

Names = tuple[str, ...]


class FileReason(StrEnum):
    """Code of the reason why a file is left out."""

    BENCHMARK = "benchmark"
    OPTED_OUT = "opted-out"
    NO_KERNEL = "no-kernel"
    BLOCKED = "license-blocked"
    CONFLICT = "license-conflict"
    UNKNOWN = "license-unknown"
    NO_TEXT = "no-text"
    LOCAL_PATH = "local-path"
    UNWRITABLE = "unwritable-path"


# Reason by verdict, the strictest verdict first.
REASON_OF_VERDICT = {
    LicenseVerdict.BLOCKED: FileReason.BLOCKED,
    LicenseVerdict.CONFLICT: FileReason.CONFLICT,
    LicenseVerdict.UNKNOWN: FileReason.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class KernelTerms:
    """License terms of a kernel in a file."""

    verdicts: frozenset[str]  # this copy's verdict, and a blocked verdict of any copy
    expression: str
    copyrights: Sequence[str]
    texts: Sequence[Sequence[str]]
    opted_out: bool


@dataclass(frozen=True, slots=True)
class PlainFile:
    source: ExportSource
    path: str
    commit: str
    sha256: str
    lines: int
    stored_at: datetime
    kernels: Sequence[KernelTerms]
    why: FileReason | None

    @property
    def expression(self) -> str:
        """Return one license expression for all kernels of the file together."""
        expressions = sorted({terms_of_kernel.expression for terms_of_kernel in self.kernels})
        if len(expressions) == 1:
            return expressions[0]
        return " AND ".join(f"({each})" if " OR " in each else each for each in expressions)

    @property
    def terms(self) -> LicenseTerms:
        copyrights = (line for kernel in self.kernels for line in kernel.copyrights)
        texts = ((path, sha) for kernel in self.kernels for path, sha in kernel.texts)
        return LicenseTerms(tuple(dict.fromkeys(copyrights)), tuple(dict.fromkeys(texts)))


def plain_files(sources: Mapping[int, ExportSource]) -> Iterator[PlainFile]:
    """Yield every file that the current globs of a source match."""
    current = SourceFile.objects.filter(retired_at=None).order_by("pk")
    columns = ("repository_id", "path", "commit", "sha256", "lines", "created_at")
    for pks in chunks(current.values_list("pk", flat=True)):
        rows = SourceFile.objects.filter(pk__among=pks).order_by("pk").values_list("pk", *columns)
        terms_of_kernel = _kernel_terms(pks)
        texts = texts_named({row[4] for row in rows if row[0] in terms_of_kernel})
        for pk, repository, path, commit, sha256, lines, stored_at in rows:
            source, kernels = sources[repository], terms_of_kernel.get(pk, ())
            why = _why(source, path, kernels, texts.get(sha256))
            yield PlainFile(source, path, commit, sha256, lines, stored_at, kernels, why)


def _why(
    source: ExportSource, path: str, kernels: Sequence[KernelTerms], text: str | None
) -> FileReason | None:
    if source.benchmark:
        return FileReason.BENCHMARK
    if source.opted_out:
        return FileReason.OPTED_OUT
    if not kernels:
        return FileReason.NO_KERNEL
    verdicts = frozenset[str]().union(*(terms_of_kernel.verdicts for terms_of_kernel in kernels))
    for verdict, reason in REASON_OF_VERDICT.items():
        if verdict in verdicts:
            return reason
    if any(terms_of_kernel.opted_out for terms_of_kernel in kernels):
        return FileReason.OPTED_OUT
    if text is None:
        return FileReason.NO_TEXT
    if source.local and LOCAL_PATH.search(text):
        return FileReason.LOCAL_PATH
    return None if safe_names(path) else FileReason.UNWRITABLE


def _kernel_terms(files: Sequence[int]) -> dict[int, list[KernelTerms]]:
    """Return the terms of the Triton and Gluon kernels in each of these files."""
    triton = Provenance.objects.exclude(kernel__language=Language.PALLAS)
    rows = triton.filter(source_file__among=files, retired_at=None).annotate(
        is_opted_out=Exists(Kernel.objects.filter(opted_out(), pk=OuterRef("kernel_id")))
    )
    columns = (
        "source_file_id", "license_verdict", "license__verdict", "license__expression",
        "kernel__license_verdict", "copyrights", "license_texts", "is_opted_out",
    )  # fmt: skip
    result: dict[int, list[KernelTerms]] = defaultdict(list)
    ordered = rows.order_by("start_line", "end_line", "qualname", "kernel__content_hash")
    for row in ordered.values_list(*columns):
        file, verdict, policy, expression, anywhere, copyrights, texts, is_opted_out = row
        verdicts = {verdict, policy or LicenseVerdict.UNKNOWN}
        # A blocked copy in any repository blocks a kernel everywhere.
        if anywhere == LicenseVerdict.BLOCKED:
            verdicts.add(anywhere)
        result[file].append(
            KernelTerms(frozenset(verdicts), expression or "", copyrights, texts, is_opted_out)
        )
    return dict(result)


# --- Paths -----------------------------------------------------------------------------------
# Pure. Paths are also unique on file systems that ignore case or normalize Unicode.
class PathRequest(NamedTuple):
    """A file that needs a path. `repository` is its display name, `alone` its unique name."""

    category: str
    repository: str
    alone: str
    path: str


def placed(files: Iterable[PathRequest]) -> dict[PathRequest, str]:
    """Return a path for each file that can have one.

    If a category has several repositories, its folder has a folder for each of them.
    """
    ordered = sorted(set(files))
    beneath = _folders({(file.category, file.repository, file.alone) for file in ordered})
    taken = _Taken()
    return {
        file: taken.place((file.category, *beneath[file.category, file.alone], *names))
        for file in ordered
        if (names := safe_names(file.path))
    }


def safe_names(path: str) -> Names:
    """Split a path into names. Return () if a name is unsafe or the path would leave its folder."""
    names = tuple(path.split("/"))
    if len(path.encode("utf-8", "surrogatepass")) > LONGEST_PATH or not all(map(_safe, names)):
        return ()
    return names


def _safe(name: str) -> bool:
    encoded = name.encode("utf-8", "surrogatepass")
    return (
        name not in {"", ".", ".."}
        # Attack: a folder named .git would be a repository with hooks that run.
        and name.casefold() != ".git"
        and "\\" not in name
        and name.isprintable()
        and len(encoded) <= LONGEST_NAME
    )


def _folders(repositories: set[tuple[str, str, str]]) -> dict[tuple[str, str], Names]:
    """Return the folder of each repository within its category, or () if it is the only one."""
    sharing: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for category, name, alone in sorted(repositories):
        sharing[category].append((name, alone))
    folders: dict[tuple[str, str], Names] = {}
    for category, members in sharing.items():
        used: set[str] = set()
        for name, alone in members:
            *above, last = map(_readable, name.split("/"))
            last = _free(above, last, used)
            used.add(_key(above, last))
            folders[category, alone] = (*above, last) if len(members) > 1 else ()
    return folders


def _readable(name: str) -> str:
    """Replace unsafe characters in a part of a repository's name, which an admin may have typed."""
    cleaned = re.sub(r"[^\w.+-]", "_", name)[:60]
    return cleaned if _safe(cleaned) else f"_{cleaned.strip('.')}"


@dataclass(slots=True)
class _Taken:
    """Registry of the assigned paths."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)

    def place(self, names: Names) -> str:
        above: list[str] = []
        for name in names[:-1]:
            # Many files may be in one folder, but no file may have the path of a folder.
            above.append(_free(above, name, self.files))
            self.folders.add(_key(above))
        last = _free(above, names[-1], self.files, self.folders)
        self.files.add(_key(above, last))
        return "/".join((*above, last))


def _free(above: Sequence[str], name: str, *taken: Container[str]) -> str:
    """Return the name if it is free, otherwise the first free one of name~2, name~3, …"""
    path, number, candidate = PurePosixPath(name), 1, name
    while any(_key(above, candidate) in names for names in taken):
        number += 1
        candidate = f"{path.stem}~{number}{path.suffix}"
    return candidate


def _key(above: Sequence[str], *name: str) -> str:
    """Return a key of a path. Paths that some file system treats as equal have the same key."""
    folded = "/".join(part.rstrip(" .") for part in (*above, *name)).casefold()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", folded).casefold())
