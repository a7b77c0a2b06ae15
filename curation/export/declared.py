"""The options of an export, declared once: the command line and the form are made from this."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from curation.export.options import (
    FORMATS,
    UNITS,
    ExportOptions,
    WrongOptions,
    parse_cap,
    parse_hardware,
    parse_splits,
)
from curation.models import Hardware

Kind = Literal["yes", "text", "number", "one", "some", "list"]


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    name: its field of ExportOptions. flag: its name at the shell.
    label, help: in the form; `usage` is the help of the command line where it differs.
    kind: yes or no, a text, a number, one or some of `choices`, or a list of texts.
    parse: the value of a text, or of one text of a list.
    in_form: False if it names a file of the machine.
    """

    name: str
    flag: str
    label: str
    help: str
    kind: Kind = "yes"
    usage: str = ""
    metavar: str = ""
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] | None = None
    in_form: bool = True

    @property
    def argument(self) -> str:
        """Its name among the arguments of the command."""
        return self.flag.lstrip("-").replace("-", "_")

    @property
    def default(self) -> Any:
        return getattr(ExportOptions(), self.name)

    def value(self, given: Any) -> Any:
        """Return the value for ExportOptions of what a form or a command line gives."""
        if self.kind == "list":
            texts = given.replace(",", " ").split() if isinstance(given, str) else given
            return tuple(sorted(self.parse(text) if self.parse else text for text in texts))
        if self.kind == "some" and not isinstance(given, str):
            return tuple(choice for choice in self.choices if choice in given)
        return self.parse(given) if self.parse and isinstance(given, str) else given


def _formats(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


OPTIONS: tuple[Option, ...] = (
    Option(
        "formats", "--format", "Formats", "", "some",
        usage=f"formats, separated by commas, of {', '.join(FORMATS)} (default: torchtune,jsonl)",
        choices=FORMATS, parse=_formats,
    ),
    Option(
        "unit", "--unit", "Text of a kernel", "", "one",
        usage="text of a kernel: its standalone unit, function or file (default: standalone)",
        choices=UNITS,
    ),
    Option(
        "hardware", "--hardware", "Hardware", "", "some", metavar="cuda,hip",
        usage="hardware that the code is written for, separated by commas, or all (default: cuda)",
        choices=tuple(sorted(Hardware.values)), parse=parse_hardware,
    ),
    Option(
        "where", "--where", "Filter", "As in Find, such as operation=matmul license=MIT.", "text",
        usage="only items that match, such as 'operation=matmul license=MIT' (default: all items)",
        metavar="FILTER",
    ),
    Option(
        "splits", "--splits", "Splits", "Train/validation/test in percent.", "text",
        metavar="90/5/5", parse=parse_splits,
    ),
    Option(
        "seed", "--seed", "Seed", "Another number draws other items for splits and caps.", "number",
        usage="a number that changes which items a split or a cap draws",
    ),
    Option(
        "caps", "--cap-origin", "Caps", "The largest share of an origin: inductor=0.2.", "list",
        usage="the largest share of an origin; may be given more than once (default: no cap)",
        metavar="inductor=0.2", parse=parse_cap,
    ),
    Option(
        "upsample", "--upsample", "Weights", "“source”, or tutorial=10,inductor=5.", "text",
        usage="weights of records: `source` for those of the sources, or by category and origin, "
        "such as tutorial=10,inductor=5 (default: all 1)",
        metavar="POLICY",
    ),
    Option(
        "total_tokens", "--total-tokens", "Tokens of the whole mix",
        "The card shows which share of them this dataset is. 0 if you do not know.", "number",
        metavar="N",
        usage="tokens of the whole training mix, for the shares on the card (default: unknown)",
    ),
    Option(
        "policies", "--accept-policy", "Accepted policies",
        "Approvals by these policies count too.", "list", metavar="POLICY",
        usage="also accept approvals by this policy; may be given more than once (default: only "
        "approvals by people)",
    ),
    Option(
        "tokenizer", "--tokenizer", "Tokenizer", "", "text", metavar="FILE", in_form=False,
        usage="count tokens by this tokenizer.json or tiktoken file (default: cl100k_base)",
    ),
    Option(
        "with_launcher", "--with-launcher", "Append the launcher to kernels", "",
        usage="append the launcher's code to each kernel's text",
    ),
    Option(
        "fenced", "--fenced", "Fence torchtune's code with ```", "",
        usage="put the code of torchtune's records between lines of ```",
    ),
    Option(
        "varied_instructions", "--varied-instructions", "Vary the wording of the instruction", "",
        usage="vary the instruction of the instruct, chat and alpaca records",
    ),
    Option(
        "with_reasons", "--with-reasons", "Add reviewers' reasons, without names", "",
        usage="add reviewers' reasons and resolved line comments to the records, without names",
    ),
    Option(
        "repeat_rows", "--repeat-rows", "Repeat rows of train by weight", "",
        usage="repeat each record of the training split by its weight",
    ),
    Option(
        "together", "--whole-repositories", "Keep each repository in one split", "",
        usage="keep all items of a repository in one split",
    ),
    Option(
        "held_out_recipes", "--held-out-recipes", "Add held-out recipes", "",
        usage="add a configuration of generated pairs: no recipe is in two splits",
    ),
    Option(
        "reviews", "--reviews", "Add line comments and decisions", "in reviews/",
        usage="add a folder reviews/ with line comments and decisions",
    ),
    Option(
        "review_names", "--review-names", "Show account names in the reviews", "",
        usage="write account names in the reviews, instead of reviewer-1",
    ),
    Option(
        "repairs", "--repairs", "Add repair traces", "",
        usage="add a configuration of repair traces, which `make_repairs` makes",
    ),
    Option(
        "ladders", "--ladders", "Add optimization ladders", "",
        usage="add configurations of optimization ladders: versions of one function by speed",
    ),
    Option(
        "include_pending", "--include-pending", "Include unreviewed items", "",
        usage="also export items that were not reviewed",
    ),
    Option(
        "include_disputed", "--include-disputed", "Include disputed items", "",
        usage="also export items that two reviewers disagree on",
    ),
    Option(
        "without_benchmarks", "--without-benchmarks", "Include items not compared with benchmarks",
        "", usage="also export items that were never compared with the benchmarks",
    ),
)  # fmt: skip


def chosen(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that differ from doing nothing, as ExportOptions takes them.

    An untouched field keeps its default, or the value of a release that is made again.
    """
    made: dict[str, Any] = {}
    for option in OPTIONS:
        value = given.get(option.name)
        if value in (None, "", False, [], ()):
            continue
        try:
            made[option.name] = option.value(value)
        except (TypeError, AttributeError):
            raise WrongOptions(f"{option.label}: {value!r:.40} can't be read.") from None
    return {name: value for name, value in made.items() if value not in (None, False, ())}
