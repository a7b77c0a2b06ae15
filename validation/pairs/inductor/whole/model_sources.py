"""Requests to the sandbox for models: modules of a file, models of libraries, saved graphs.

The source of a model is read here, but it runs only in the sandbox.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from curation.errors import CurationError
from curation.pairs.draft import Source

MOST_BYTES = 4_000_000
NOT_STATED = Source()
RUNNABLE = "fx_graph_runnable.py"
LIBRARIES = {
    "transformers": Source(
        repository="huggingface/transformers",
        license="Apache-2.0",
        copyright="Copyright The HuggingFace Team",
    ),
    "timm": Source(
        repository="huggingface/pytorch-image-models",
        license="Apache-2.0",
        copyright="Copyright Ross Wightman",
    ),
}


@dataclass(frozen=True, slots=True)
class Whole:
    kind: str
    """Kind of the request: file, transformers, timm or runnable."""
    name: str
    source: Source
    text: str = ""


def of_file(path: Path, source: Source = NOT_STATED) -> Whole:
    return Whole("file", path.stem, replace(source, path=path.name), _text(path))


def of_transformers(config: str) -> Whole:
    """Return the request for a configuration class by name, or for a JSON file of such a class."""
    _installed("transformers")
    if not config.endswith(".json"):
        return Whole("transformers", config, LIBRARIES["transformers"])
    text = _text(Path(config))
    try:
        name = str(json.loads(text)["model_type"])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise CurationError(f"{config} is no JSON object that names a model_type.") from error
    return Whole("transformers", name, LIBRARIES["transformers"], text)


def of_timm(model: str) -> Whole:
    _installed("timm")
    return Whole("timm", model, LIBRARIES["timm"])


def of_debug_folder(folder: Path, source: Source = NOT_STATED) -> Iterator[Whole]:
    """Yield a request for each graph that torch.compile saved as a runnable file."""
    paths = sorted(p for p in folder.rglob(RUNNABLE) if p.is_file() and not p.is_symlink())
    if not paths:
        raise CurationError(f"There is no {RUNNABLE} in {folder}: name a folder of torch.compile.")
    for path in paths:
        place = path.relative_to(folder).as_posix()
        yield Whole("runnable", path.parent.name, replace(source, path=place), _text(path))


def _installed(library: str) -> None:
    if importlib.util.find_spec(library) is None:
        raise CurationError(f"{library} is not installed here: `pip install {library}` first.")


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise CurationError(f"{path} has more than {MOST_BYTES:,} bytes.")
        return data.decode("utf-8")
    except OSError as error:
        raise CurationError(f"{path} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CurationError(f"{path} is not UTF-8 text.") from error
