"""Options of an export, shared by command line, form, job and release."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Protocol, Self

from curation.errors import CurationError
from curation.evidence.sources import ExportSource
from curation.models import Category, Hardware, PairOrigin, Split
from curation.search.filters import Filter

FORMATS = ("torchtune", "jsonl", "parquet", "alpaca", "kernelbook", "prompts")
UNITS = ("standalone", "function", "file")
UPSAMPLE_BY_SOURCE = "source"


class ProgressCallback(Protocol):
    """Receiver of the stage of an export, and of the number of items done."""

    def __call__(self, stage: str, done: int) -> None: ...


def no_progress(stage: str, done: int) -> None:
    """No-op progress callback."""


class WrongOptions(CurationError):
    """An unknown option, or one that contradicts another."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    formats: tuple[str, ...] = ("torchtune", "jsonl")
    unit: str = "standalone"
    with_launcher: bool = False
    fenced: bool = False
    splits: tuple[int, ...] = (90, 5, 5)
    seed: int = 0
    where: str = ""
    caps: tuple[tuple[str, float], ...] = ()
    upsample: str = ""
    repeat_rows: bool = False
    together: bool = False
    include_pending: bool = False
    include_disputed: bool = False
    policies: tuple[str, ...] = ()
    total_tokens: int = 0
    without_benchmarks: bool = False
    held_out_recipes: bool = False
    varied_instructions: bool = False
    with_reasons: bool = False
    reviews: bool = False
    review_names: bool = False
    repairs: bool = False
    ladders: bool = False
    hardware: tuple[str, ...] = (Hardware.CUDA.value,)
    tokenizer: str = ""
    """The path of a tokenizer's file; only its name is stored."""

    def __post_init__(self) -> None:
        if wrong := [name for name in self.formats if name not in FORMATS]:
            raise WrongOptions(f"There is no format {wrong[0]!r}. There are: {', '.join(FORMATS)}.")
        if self.unit not in UNITS:
            raise WrongOptions(f"There is no unit {self.unit!r}. There are: {', '.join(UNITS)}.")
        if self.with_launcher and self.unit == "file":
            raise WrongOptions("A file contains its launchers: omit --with-launcher.")
        if len(self.splits) != len(Split) or sum(self.splits) != 100 or min(self.splits) < 0:
            raise WrongOptions("Splits are three percentages that add up to 100, such as 90/5/5.")
        if wrong := [name for name in self.hardware if name not in Hardware.values]:
            raise WrongOptions(
                f"There is no hardware {wrong[0]!r}. There is: {', '.join(Hardware.values)}."
            )
        if not self.hardware:
            raise WrongOptions("Name the hardware to export for, such as cuda.")
        if self.review_names and not self.reviews:
            raise WrongOptions("Names of reviewers need the reviews: add --reviews.")
        if self.total_tokens < 0:
            raise WrongOptions("The number of tokens can't be negative.")
        Filter.from_text(self.where)
        _check_caps(self.caps)
        weights_by_name(self.upsample)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Parse the output of `as_json`, or a part of it; missing options get their default."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(document) - known):
            raise WrongOptions(f"There is no option {unknown[0]!r}.")
        return cls(**{name: _frozen(value) for name, value in document.items()})

    def as_json(self) -> dict[str, Any]:
        # A path reveals folders of this machine.
        plain = {**asdict(self), "tokenizer": Path(self.tokenizer).name}
        return {name: _thawed(value) for name, value in plain.items()}

    @property
    def plan(self) -> str:
        """Return the name of the plan: exports of one plan never move a record between splits."""
        shares = "/".join(map(str, self.splits))
        together = ", repositories whole" if self.together else ""
        files = ", files" if self.unit == "file" else ""
        return f"{shares} by content, seed {self.seed}{together}{files}"


def check_name(name: str) -> None:
    """Refuse the name of a release that a file, a header or a command line could not hold."""
    if name and not re.fullmatch(r"\w[\w.+-]*", name):
        raise WrongOptions(
            "The name of a release has only letters, digits and . + - _, and begins with a letter, "
            f"a digit or _, unlike {name!r}."
        )


def parse_splits(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d{1,3}/\d{1,3}/\d{1,3}", text):
        raise WrongOptions(f"{text!r} is not a split: write train/validation/test, such as 90/5/5.")
    return tuple(map(int, text.split("/")))


def parse_hardware(text: str) -> tuple[str, ...]:
    """Parse `cuda,hip`; `all` means every present kind of hardware."""
    names = Hardware.values if text == "all" else [name.strip() for name in text.split(",")]
    return tuple(sorted(set(names)))


def parse_cap(text: str) -> tuple[str, float]:
    name, _, share = text.partition("=")
    try:
        return name, float(share)
    except ValueError:
        raise WrongOptions(
            f"{text!r} is not a cap: write origin=share, such as inductor=0.2."
        ) from None


def weights_by_name(policy: str) -> dict[str, float]:
    """Return the weights named in a policy; empty for "" and for `source`."""
    if policy in ("", UPSAMPLE_BY_SOURCE):
        return {}
    weights = {}
    for part in policy.split(","):
        name, _, weight = part.strip().partition("=")
        if name not in (*Category.values, *PairOrigin.values):
            raise WrongOptions(
                f"{name!r} is neither a category ({', '.join(Category.values)}) nor an origin "
                f"({', '.join(PairOrigin.values)}). "
                "Write `source`, or weights such as tutorial=10,inductor=5."
            )
        try:
            weights[name] = float(weight)
        except ValueError:
            raise WrongOptions(f"{part!r} has no weight: write it as tutorial=10.") from None
        if not 0 < weights[name] <= 1000:
            raise WrongOptions(f"A weight is above 0 and at most 1,000, unlike {part!r}.")
    return weights


def weigher(policy: str, sources: Mapping[int, ExportSource]) -> Callable[[int, str], float]:
    """Return a function from source and origin to the policy's weight."""
    weights = weights_by_name(policy)

    def weight(key: int, origin: str) -> float:
        source = sources.get(key)
        if policy == UPSAMPLE_BY_SOURCE:
            return source.weight if source else 1.0
        if origin in weights:
            return weights[origin]
        return weights.get(source.category, 1.0) if source else 1.0

    return cache(weight)


def _check_caps(caps: tuple[tuple[str, float], ...]) -> None:
    for name, share in caps:
        if name not in PairOrigin.values:
            raise WrongOptions(f"There is no origin {name!r}: {', '.join(PairOrigin.values)}.")
        if not 0 <= share < 1:
            raise WrongOptions(f"A cap must be at least 0 and less than 1, unlike {name}={share}.")
    if len({name for name, _ in caps}) < len(caps):
        raise WrongOptions("An origin is capped twice.")


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _thawed(value: Any) -> Any:
    return list(map(_thawed, value)) if isinstance(value, tuple) else value
