"""Fingerprints of a benchmark, computed from the same files that an ingest would read."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from curation.errors import CurationError
from curation.evidence.benchmark_files import BenchmarkFingerprints, fingerprint_benchmark
from curation.models import Role
from ingest.git import Absent, SourceKind, fetch, parse_source
from ingest.git.snapshot import OpenTree
from ingest.licenses import LicenseReader
from ingest.local_clones import original_of
from ingest.pipeline import LICENSE_FILES
from ingest.sources import known_source, network, wanted_files
from ingest.stages import FileLicenses, read_text


def fingerprint(text: str, reader: LicenseReader) -> BenchmarkFingerprints:
    """Return the fingerprints of the benchmark that `text` names.

    `text`: folder of a clone of the benchmark, or the name of a benchmark that was ingested here.
    """
    folder = Path(text).expanduser()
    benchmark = original_of(folder) if folder.is_dir() else known_source(text)
    if benchmark is None or benchmark.role != Role.BENCHMARK:
        raise CurationError(
            f"{text} is no registered benchmark and no clone of one: the address of its remote "
            "must be that of a repository of the role benchmark."
        )
    if folder.is_dir():
        source, ref = parse_source(str(folder.resolve()), allow_local=True), benchmark.ref
        if source.kind is SourceKind.FOLDER:
            raise CurationError(f"{text} is no git repository: its commit is not known.")
    elif benchmark.last_commit:
        source, ref = parse_source(benchmark.url, allow_local=True), benchmark.last_commit
    else:
        raise CurationError(f"{benchmark} was not ingested: name a folder with a clone of it.")
    files = wanted_files(benchmark)
    selection = replace(files, always=LICENSE_FILES)
    mirrors = settings.DATA_DIR / "mirrors"
    snapshot = fetch(source, mirrors=mirrors, ref=ref, selection=selection, network=network())
    is_wanted = files.matcher()
    paths = sorted(entry.path for entry in snapshot.entries if is_wanted(entry.path))
    with snapshot.open() as tree:
        license = _license(tree, paths, reader)
        texts = _texts(tree, paths)
        return fingerprint_benchmark(benchmark.name, snapshot.commit, license, texts)


def _texts(tree: OpenTree, paths: list[str]) -> Iterator[tuple[str, str]]:
    for blob in tree.read_all(paths):
        if isinstance(blob, Absent):
            raise CurationError(f"{blob.path} can't be read: {blob.problem}.")
        text = read_text(blob.path, blob.data).text
        if text is not None:
            yield blob.path, text


def _license(tree: OpenTree, paths: list[str], reader: LicenseReader) -> str:
    """Return the most frequent license of the Python files."""
    known = FileLicenses(tree, reader)
    stated = Counter(known.of(path).expression or "" for path in paths if path.endswith(".py"))
    return max(stated, key=lambda license: (stated[license], license), default="")
