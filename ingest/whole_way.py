"""The whole way in one go: sources are read, judged, and written as plain folders and a dataset.

Each step is the one that its own command takes. One source that fails doesn't stop the others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.errors import CurationError
from curation.export.dataset import Outcome, export
from curation.export.extract import FOLDER, extract
from curation.export.folder import check_target
from curation.export.options import Options
from curation.export.progress import Progress, silently
from curation.models import IngestRun, Repository
from curation.sources.load import load_sources
from ingest.in_process import ingest_now
from ingest.sources import take_up

DATASET = "dataset"


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one source: a run, or the sentence that says why not."""

    source: str
    run: IngestRun | None = None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    manifest: dict[str, Any]
    dataset: Outcome


def asked_for(texts: Sequence[str]) -> list[str]:
    """The sources that were named, or all known ones, the project's own among them.

    They are loaded in any case: by them a local clone is known for what it is.
    """
    load_sources()
    return list(texts) or list(Repository.objects.enabled().values_list("name", flat=True))


def read_each(sources: Sequence[str]) -> Iterator[Reading]:
    for text in sources:
        try:
            run = ingest_now(take_up(text))
        except CurationError as error:
            yield Reading(text, failure=str(error))
        except Exception as error:  # noqa: BLE001 - whatever one source brings about
            yield Reading(text, failure=f"{type(error).__name__}: {error}")
        else:
            yield Reading(text, run)


def check_folders(out: Path) -> None:
    """Before sources are read for an hour, and not after."""
    for name in (FOLDER, DATASET):
        check_target(out / name)


def write(out: Path, *, progress: Progress = silently) -> Written:
    manifest = extract(out, progress=progress)
    everything = Options(include_pending=True)
    return Written(manifest, export(everything, out / DATASET, progress=progress))
