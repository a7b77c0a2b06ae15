"""A sketch: all data that the templates need in order to render one pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FLOATS = ("float32", "float16", "bfloat16")

Tolerance = tuple[float, float]
"""Relative and absolute tolerance."""
TOLERANCE: Mapping[str, Tolerance] = {
    "float32": (1e-4, 2e-5),
    "float16": (4e-3, 4e-3),
    "bfloat16": (1.6e-2, 1.6e-2),
}


Config = tuple[dict[str, int], int, int]
"""Block sizes, number of warps and number of stages."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One positional argument of both functions, and the distribution of its test values."""

    name: str
    shape: tuple[str, ...] = ()
    """Expressions of the tensor's sizes, from the case's sizes. Empty for a number."""
    draw: str = "normal"
    """Distribution as in the test's template: normal, wide, factor, uniform, positive, scale,
    index, integers, ties, mask or offsets."""
    dtype: str = ""
    """Data type of the tensor, or "" for the case's data type."""
    bound: str = ""
    """Number of entries for an index, or number of products for a factor."""
    default: str = ""
    """Value of a number."""
    annotation: str = "torch.Tensor"
    """Type hint of an argument that has no default."""

    @classmethod
    def parsed(cls, text: str) -> Argument:
        """Return an argument from “name [shape] draw dtype bound”, “name=1” or “name: int”."""
        if "[" not in text:
            name, _, default = text.partition("=")
            name, _, annotation = name.partition(": ")
            return cls(name, default=default, annotation=annotation or "torch.Tensor")
        name, _, rest = text.partition(" [")
        shape, _, words = rest.rpartition("]")
        # An underscore stands for the default data type.
        draw, dtype, bound = [*words.split(), *("normal", "", "")[len(words.split()) :]]
        return cls(name, tuple(filter(None, shape.split(", "))), draw, dtype.strip("_"), bound)

    @property
    def drawn_first(self) -> bool:
        """True if the shapes of other arguments depend on this argument."""
        return self.draw == "offsets"

    @property
    def is_float8(self) -> bool:
        return self.dtype.startswith("float8")

    @property
    def is_number(self) -> bool:
        return bool(self.default)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    entry_point: str
    summary: str
    operation_type: str
    tags: tuple[str, ...]
    triton: str
    """The template of the Triton text."""
    python: tuple[str, ...]
    """The lines of the reference function's body."""
    arguments: tuple[Argument, ...]
    sizes: tuple[Mapping[str, int | tuple[int, ...]], ...]
    allowed: Mapping[str, object] = field(default_factory=dict)
    """Values that each size may have, as in the test's SIZES."""
    fixed: tuple[str, ...] = ()
    """Names of the sizes that a checker must not vary."""
    perf: tuple[Mapping[str, int | str], ...] = ()
    """Sizes of real models, perhaps with their data type. They are used only for timing."""
    dtypes: tuple[str, ...] = ()
    """Data types of the cases. Empty to use those of the recipe."""
    tolerance: Mapping[str, Tolerance] = field(default_factory=lambda: TOLERANCE)
    layouts: tuple[str, ...] = ("contiguous", "strided")
    outputs: int = 1
    inputs: tuple[str, ...] = ()
    """Lines that compute the arguments, such as packed weights, from the case's sizes and return
    them, or empty if each argument is drawn separately."""
    timed_for: str = ""
    """Comment that names the models whose sizes are in `perf`."""
    levels: Mapping[str, Tolerance] = field(default_factory=dict)
    """Tolerance by the dtype of an output, if that dtype has few bits."""
    differentiable: bool = False
    """Whether the Triton text defines a backward pass."""
    values: Mapping[str, object] = field(default_factory=dict)
    """Values for the Triton template, in addition to those of the recipe's axes."""

    @property
    def slug(self) -> str:
        return self.entry_point.replace("_", "-")

    @property
    def signature(self) -> str:
        return ", ".join(
            f"{argument.name}={argument.default}" if argument.is_number else argument.name
            for argument in self.arguments
        )

    @property
    def typed_signature(self) -> str:
        return ", ".join(
            f"{argument.name}: {'int' if argument.default.lstrip('-').isdigit() else 'float'} = "
            f"{argument.default}"
            if argument.is_number
            else f"{argument.name}: {argument.annotation}"
            for argument in self.arguments
        )

    @property
    def result_type(self) -> str:
        if self.outputs == 1:
            return "torch.Tensor"
        return f"tuple[{', '.join(['torch.Tensor'] * self.outputs)}]"

    @property
    def tensors(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if not argument.is_number)

    @property
    def size_names(self) -> tuple[str, ...]:
        return tuple(self.sizes[0])


def tolerances(
    dtypes: tuple[str, ...], steps: int = 1, absolute: float = 1e-5
) -> dict[str, Tolerance]:
    """Return a tolerance of two roundings, or more if several steps precede the rounding."""
    by_dtype = {
        "float32": (round(1e-5 * (1 + steps), 8), absolute),
        "float16": (2e-3, 1e-3),
        "bfloat16": (1.6e-2, 8e-3),
        "int32": (0.0, 0.0),
        "int8": (0.0, 0.0),
        "int64": (0.0, 0.0),
    }
    return {dtype: by_dtype[dtype] for dtype in dtypes}


def config_rows(text: str) -> tuple[Config, ...]:
    """Return configurations from a text: block names, then the sizes, warps and stages of each."""
    names, _, rows = text.partition(":")
    numbers = [tuple(map(int, row.split())) for row in parts_of(rows, ",")]
    blocks = names.split()
    return tuple((dict(zip(blocks, row, strict=False)), row[-2], row[-1]) for row in numbers)


def parts_of(text: str, mark: str = ";") -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(mark))))
