"""Requests to the sandbox for models: modules of a file, models of libraries, graphs of a run.

The code of a model is read here, and runs only in the sandbox.
"""

from __future__ import annotations

import ast
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


class ModelsUnreadable(CurationError):
    """A named model can't be used; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Whole:
    kind: str
    """file, transformers, timm or runnable."""
    name: str
    source: Source
    text: str = ""


def of_file(path: Path, source: Source = NOT_STATED) -> Whole:
    text = _text(path)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ModelsUnreadable(f"{path} is no Python: {error}.") from error
    if not any(isinstance(n, ast.Name) and n.id == "MODULES" for n in ast.walk(tree)):
        raise ModelsUnreadable(
            f"{path} has no MODULES: a dictionary from names to functions, each of which returns "
            "a module and a tuple of its inputs."
        )
    return Whole("file", path.stem, replace(source, path=path.name), text)


def of_transformers(config: str) -> Whole:
    """Return the request for a configuration class by name, or for a JSON file of one."""
    _installed("transformers")
    source = LIBRARIES["transformers"]
    if not config.endswith(".json"):
        return Whole("transformers", config, source)
    path = Path(config)
    text = _text(path)
    try:
        settings = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelsUnreadable(f"{path} is no JSON: {error}.") from error
    if not isinstance(settings, dict) or not isinstance(settings.get("model_type"), str):
        raise ModelsUnreadable(f"{path} is no configuration: it names no model_type.")
    return Whole("transformers", settings["model_type"], source, text)


def of_timm(model: str) -> Whole:
    _installed("timm")
    return Whole("timm", model, LIBRARIES["timm"])


def of_debug_folder(folder: Path, source: Source = NOT_STATED) -> Iterator[Whole]:
    """Yield each graph that torch.compile saved as a runnable file."""
    if not folder.is_dir():
        raise ModelsUnreadable(f"There is no folder at {folder}; give a folder of torch.compile's.")
    paths = sorted(
        path for path in folder.rglob(RUNNABLE) if path.is_file() and not path.is_symlink()
    )
    if not paths:
        raise ModelsUnreadable(f"{folder} holds no {RUNNABLE}, which is what could be run.")
    for path in paths:
        place = path.relative_to(folder).as_posix()
        yield Whole("runnable", path.parent.name, replace(source, path=place), _text(path))


def _installed(library: str) -> None:
    if importlib.util.find_spec(library) is None:
        raise ModelsUnreadable(f"{library} is not installed here: `pip install {library}` first.")


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ModelsUnreadable(f"{path} can't be read: {error.strerror}.") from error
    if len(data) > MOST_BYTES:
        raise ModelsUnreadable(f"{path} has more than {MOST_BYTES:,} bytes.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelsUnreadable(f"{path} is not UTF-8 text.") from error
