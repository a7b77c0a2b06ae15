"""Options of an export, declared once for the command line, the form, jobs and releases."""

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from curation.errors import CurationError
from curation.evidence.sources import ExportSource
from curation.models import Category, Hardware, PairOrigin, Split
from curation.search.filters import Filter

FORMATS = ("torchtune", "jsonl", "parquet", "alpaca", "kernelbook", "trl", "prompts")
UNITS = ("standalone", "function", "file")
UPSAMPLE_BY_SOURCE = "source"


class ProgressCallback(Protocol):
    """Callback that receives the stage of an export and the number of items done."""

    def __call__(self, stage: str, done: int) -> None: ...


def no_progress(stage: str, done: int) -> None:
    """No-op progress callback."""


class WrongOptions(CurationError):
    """An error because an option is unknown, a value is invalid, or options are contradictory."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of an export, for the command line and the form.

    flag: its name on the command line.
    label, help: texts of the form. `usage`: help text of the command line, if different.
    kind: type of the value: yes or no, text, number, one or some of `choices`, or list of texts.
    parse: function that turns a text into the value. For a list, it gets each text.
    in_form: False if the value is a path on the server, which the web form must not accept.
    """

    flag: str
    label: str
    help: str = ""
    kind: Literal["yes", "text", "number", "one", "some", "list"] = "yes"
    usage: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] | None = None
    in_form: bool = True

    @property
    def argument(self) -> str:
        """Name of the attribute that holds its value among the command's parsed arguments."""
        return self.flag.lstrip("-").replace("-", "_")

    def value(self, given: Any) -> Any:
        """Convert a value from the form or the command line to the value for ExportOptions."""
        if self.kind == "list":
            texts = given.replace(",", " ").split() if isinstance(given, str) else given
            return tuple(sorted(self.parse(text) if self.parse else text for text in texts))
        if self.kind == "some" and not isinstance(given, str):
            return tuple(choice for choice in self.choices if choice in given)
        return self.parse(given) if self.parse and isinstance(given, str) else given


def _option(default: Any, flag: str, label: str, help: str = "", **given: Any) -> Any:
    return field(default=default, metadata={"option": Option(flag, label, help, **given)})


def _parse_splits(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"\d{1,3}/\d{1,3}/\d{1,3}", text):
        raise WrongOptions(f"{text!r} is not a split: write train/validation/test, such as 90/5/5.")
    return tuple(map(int, text.split("/")))


def _parse_hardware(text: str) -> tuple[str, ...]:
    """Parse a text such as `cuda,hip`. `all` means every value of `Hardware`."""
    names = Hardware.values if text == "all" else [name.strip() for name in text.split(",")]
    return tuple(sorted(set(names)))


def _parse_cap(text: str) -> tuple[str, float]:
    name, _, share = text.partition("=")
    try:
        return name, float(share)
    except ValueError:
        raise WrongOptions(
            f"{text!r} is not a cap: write origin=share, such as inductor=0.2."
        ) from None


@dataclass(frozen=True, slots=True)
class ExportOptions:
    formats: tuple[str, ...] = _option(
        ("torchtune", "jsonl"), "--format", "Formats", kind="some", choices=FORMATS,
        usage=f"formats, separated by commas, of {', '.join(FORMATS)} (default: torchtune,jsonl)",
        parse=lambda text: tuple(text.split(",")),
    )  # fmt: skip
    unit: str = _option(
        "standalone", "--unit", "Text of a kernel", kind="one", choices=UNITS,
        usage="text of a kernel: its standalone unit, function or file (default: standalone)",
    )  # fmt: skip
    hardware: tuple[str, ...] = _option(
        (Hardware.CUDA.value,), "--hardware", "Hardware", kind="some", metavar="cuda,hip",
        usage="hardware that the code is written for, separated by commas, or all (default: cuda)",
        choices=tuple(sorted(Hardware.values)), parse=_parse_hardware,
    )  # fmt: skip
    where: str = _option(
        "", "--where", "Filter", "As in Find, such as operation=matmul license=MIT.", kind="text",
        usage="only items that match, such as 'operation=matmul license=MIT' (default: all items)",
        metavar="FILTER",
    )  # fmt: skip
    splits: tuple[int, ...] = _option(
        (90, 5, 5), "--splits", "Splits", "Train/validation/test in percent.", kind="text",
        metavar="90/5/5", parse=_parse_splits,
    )  # fmt: skip
    seed: int = _option(
        0, "--seed", "Seed", "Another number draws other items for splits and caps.", kind="number",
    )  # fmt: skip
    caps: tuple[tuple[str, float], ...] = _option(
        (), "--cap-origin", "Caps", "The largest share of an origin: inductor=0.2.", kind="list",
        usage="the largest share of an origin; may be given more than once (default: no cap)",
        metavar="inductor=0.2", parse=_parse_cap,
    )  # fmt: skip
    upsample: str = _option(
        "", "--upsample", "Weights", "“source”, or tutorial=10,inductor=5.", kind="text",
        usage="weights of records: `source` for those of the sources, or by category and origin, "
        "such as tutorial=10,inductor=5 (default: all 1)", metavar="POLICY",
    )  # fmt: skip
    total_tokens: int = _option(
        0, "--total-tokens", "Tokens of the whole mix",
        "The card shows which share of them this dataset is. 0 if you do not know.", kind="number",
        usage="tokens of the whole training mix, for the shares on the card (default: unknown)",
        metavar="N",
    )  # fmt: skip
    policies: tuple[str, ...] = _option(
        (), "--accept-policy", "Accepted policies", "Approvals by these policies count too.",
        usage="also accept approvals by this policy; may be given more than once (default: only "
        "approvals by people)", kind="list", metavar="POLICY",
    )  # fmt: skip
    # The path of a tokenizer file. Only the file's name is stored.
    tokenizer: str = _option(
        "", "--tokenizer", "Tokenizer", kind="text", metavar="FILE", in_form=False,
        usage="count tokens by this tokenizer.json or tiktoken file (default: cl100k_base)",
    )  # fmt: skip
    with_launcher: bool = _option(False, "--with-launcher", "Append the launcher to kernels")
    varied_instructions: bool = _option(
        False, "--varied-instructions", "Vary the instruction above the PyTorch code"
    )
    with_reasons: bool = _option(
        False, "--with-reasons", "Add reviewers' reasons and resolved line comments, without names"
    )
    repeat_rows: bool = _option(False, "--repeat-rows", "Repeat rows of train by weight")
    together: bool = _option(False, "--whole-repositories", "Keep each repository in one split")
    held_out_recipes: bool = _option(
        False, "--held-out-recipes", "Add a configuration of held-out recipes"
    )
    reviews: bool = _option(False, "--reviews", "Add line comments and decisions in reviews/")
    review_names: bool = _option(
        False, "--review-names", "Show account names in the reviews, instead of reviewer-1"
    )
    repairs: bool = _option(False, "--repairs", "Add repair traces, which `make_repairs` makes")
    ladders: bool = _option(
        False, "--ladders", "Add optimization ladders: versions of one function by speed"
    )
    include_pending: bool = _option(False, "--include-pending", "Include unreviewed items")
    include_disputed: bool = _option(
        False, "--include-disputed", "Include items that two reviewers disagree on"
    )
    without_benchmarks: bool = _option(
        False, "--without-benchmarks", "Include items that were never compared with the benchmarks"
    )

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
        """Parse the output of `as_json`. Options that are missing in it get their defaults."""
        known = {field.name for field in fields(cls)}
        # Releases made before code stood in fences everywhere still have this option.
        document = {name: value for name, value in document.items() if name != "fenced"}
        if unknown := sorted(set(document) - known):
            raise WrongOptions(f"There is no option {unknown[0]!r}.")
        return cls(**{name: _frozen(value) for name, value in document.items()})

    def as_json(self) -> dict[str, Any]:
        # Only the file's name, because a path reveals folders of this machine.
        plain = {**asdict(self), "tokenizer": Path(self.tokenizer).name}
        return {name: _thawed(value) for name, value in plain.items()}

    @property
    def plan(self) -> str:
        """Return the name of the plan. Exports with the same plan never change a record's split."""
        shares = "/".join(map(str, self.splits))
        together = ", repositories whole" if self.together else ""
        files = ", files" if self.unit == "file" else ""
        return f"{shares} by content, seed {self.seed}{together}{files}"


def check_name(name: str) -> None:
    """Refuse a release name with characters that are unsafe in a path, header or command line."""
    if name and not re.fullmatch(r"\w[\w.+-]*", name):
        raise WrongOptions(
            "The name of a release has only letters, digits and . + - _, and begins with a letter, "
            f"a digit or _, unlike {name!r}."
        )


def weights_by_name(policy: str) -> dict[str, float]:
    """Return the weights that a policy lists by name. Empty for "" and for `source`."""
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
    """Return a function that computes the policy's weight from a source's key and an origin."""
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


OPTIONS: dict[str, Option] = {
    option.name: option.metadata["option"] for option in fields(ExportOptions)
}


def chosen(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were set by a form or command line, as values for ExportOptions.

    An empty field is omitted. It keeps its default, or the value of the release that is rebuilt.
    """
    values: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        value = given.get(name)
        if value in (None, "", False, [], ()):
            continue
        try:
            values[name] = option.value(value)
        except (TypeError, AttributeError):
            raise WrongOptions(f"{option.label}: {value!r:.40} can't be read.") from None
    return {name: value for name, value in values.items() if value not in (None, False, ())}
