"""Rendering of a sketch as three texts."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from validation.pairs.recipes.layout import tidy
from validation.pairs.recipes.sketch import Sketch
from validation.pairs.recipes.styles import Style, styled

TEMPLATES = Path(__file__).resolve().with_name("templates")

HELPER = '''@triton.jit
def row_{which}(values, axis: tl.constexpr):
    """The {word} along an axis. `tl.{which}` would pass over NaN."""
    has_nan = tl.max((values != values).to(tl.int32), axis=axis) > 0
    return tl.where(has_nan, float("nan"), tl.{which}(values, axis=axis))


'''
WORDS = {"max": "largest", "min": "smallest"}
CALL = re.compile(r"(?<![.\w])f(max|min)\(")


@dataclass(frozen=True, slots=True)
class Texts:
    python_code: str
    triton_code: str
    test_code: str


def rendered(
    sketch: Sketch,
    style: Style,
    triton: str | None = None,
    environment: Environment | None = None,
) -> Texts:
    """Render all three texts. A rendered Triton side can be passed in."""
    return Texts(
        rendered_python(sketch, environment),
        triton or rendered_triton(sketch, style, environment),
        rendered_test(sketch, environment),
    )


def rendered_python(sketch: Sketch, environment: Environment | None = None) -> str:
    template = (environment or templates()).get_template("python/function.py.j2")
    code = "\n".join(sketch.python)
    return tidy(template.render(sketch=sketch, uses_functional="F." in code))


def rendered_test(sketch: Sketch, environment: Environment | None = None) -> str:
    template = (environment or templates()).get_template(f"pytest/{sketch.test}.py.j2")
    told = {"cases": cases(sketch), "used_sizes": _used_sizes(sketch)}
    return tidy(template.render(sketch=sketch, **told))


def rendered_triton(sketch: Sketch, style: Style, environment: Environment | None = None) -> str:
    template = (environment or templates()).get_template(f"triton/{sketch.triton}.py.j2")
    source = template.render(sketch=sketch, **sketch.values)
    return tidy(styled(spelled_out(source), style))


@functools.cache
def templates() -> Environment:
    return environment_of_templates()


def environment_of_templates(kind: type[Environment] = Environment) -> Environment:
    environment = kind(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    environment.filters["sentence"] = lambda text: f"{text[0].upper()}{text[1:]}."
    environment.filters["reduced"] = _reduced
    return environment


def _reduced(line: str, tile: bool) -> str:
    """Write out `sum(v)`, `max(v)` and `min(v)` of a row, or of each row of a tile.

    `row_max` and `row_min` propagate NaN.
    """

    def written(found: re.Match[str]) -> str:
        value = found[2]
        name = found[1]
        if name != "sum":
            value = f'tl.where(mask, {value}, {"-" if name.endswith("max") else ""}float("inf"))'
        name = name if name.startswith("row_") else f"tl.{name}"
        return f"{name}({value}, axis={1 if tile else 0}){'[:, None]' if tile else ''}"

    return ROW_REDUCTION.sub(written, line)


ROW_REDUCTION = re.compile(
    r"(?<![.\w])(sum|(?:row_)?(?:max|min))\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"
)


def cases(sketch: Sketch) -> list[str]:
    """Return every size with a dtype and a layout, in turn, so that each of these occurs."""
    texts = []
    dtypes, layouts = cycle(sketch.dtypes), sketch.layouts
    rounds = max(len(sketch.sizes), len(sketch.dtypes), len(sketch.layouts))
    sizes = cycle(sketch.sizes)
    for seed in range(rounds):
        case: dict[str, object] = dict(next(sizes))
        case["dtype"] = next(dtypes)
        if len(sketch.layouts) > 1:
            # Not in step with the dtypes, or one of two would always have the same layout.
            case["layout"] = layouts[(seed + seed // len(layouts)) % len(layouts)]
        case["seed"] = seed
        texts.append("{" + ", ".join(f'"{k}": {_literal(v)}' for k, v in case.items()) + "}")
    return texts


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _used_sizes(sketch: Sketch) -> list[str]:
    words = {
        word
        for argument in sketch.tensors
        for text in (*argument.shape, argument.bound)
        for word in re.findall(r"[A-Za-z_]\w*", text)
    }
    return [name for name in sketch.size_names if name in words]


def spelled_out(source: str) -> str:
    """Replace the recipes' functions by standalone Triton code.

    Maxima and minima of PyTorch propagate NaN, and those of Triton do not. Recipes write
    `fmax(a, b)` and `fmin(a, b)` for the larger and the smaller of two values, and
    `row_max(values, axis)` and `row_min(values, axis)` along an axis of a block.
    """
    while (call := CALL.search(source)) is not None:
        end = _closing(source, call.end())
        arguments = source[call.end() : end].rstrip().removesuffix(",")
        source = (
            f"{source[: call.start()]}tl.{call[1]}imum({arguments}, "
            f"propagate_nan=tl.PropagateNan.ALL{source[end:]}"
        )
    used = [which for which in WORDS if f"row_{which}(" in source]
    helpers = "".join(HELPER.format(which=which, word=WORDS[which]) for which in used)
    start = source.index("@triton.jit") if helpers else 0
    return source[:start] + helpers + source[start:]


def _closing(source: str, start: int) -> int:
    depth = 1
    for place in range(start, len(source)):
        depth += {"(": 1, ")": -1}.get(source[place], 0)
        if depth == 0:
            return place
    return len(source)
