"""Rendering of a sketch as the three texts of a pair."""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from validation.pairs.recipes.layout import tidy
from validation.pairs.recipes.operations import BINARY, TERNARY
from validation.pairs.recipes.sketch import Sketch
from validation.pairs.recipes.spelling import spelled
from validation.pairs.recipes.styles import STYLES, Style
from validation.pairs.recipes.tuning import autotuned, configurations, tuning_of

IMPORTS = "import torch\nimport triton\nimport triton.language as tl"
INDENT = "    "
TEMPLATES = Path(__file__).resolve().with_name("templates")


@dataclass(frozen=True, slots=True)
class RenderedTexts:
    python_code: str
    triton_code: str
    test_code: str


def rendered(sketch: Sketch, style: Style, triton: str = "") -> RenderedTexts:
    """Render all three texts. `triton`: the Triton text, if it is already rendered."""
    return RenderedTexts(
        rendered_python(sketch, style),
        triton or rendered_triton(sketch, style),
        rendered_test(sketch),
    )


def rendered_python(sketch: Sketch, style: Style = STYLES[0]) -> str:
    template = templates().get_template("python/function.py.j2")
    text = template.render(
        sketch=sketch,
        code="\n".join(sketch.python),
        style=style,
        # Class name of the module in PyTorch, such as BiasGelu.
        module="".join(word.capitalize() for word in sketch.entry_point.split("_")),
    )
    return tidy(text.lstrip("\n"))


def rendered_test(sketch: Sketch) -> str:
    template = templates().get_template("pytest/test.py.j2")
    text = template.render(
        sketch=sketch,
        cases=cases(sketch),
        perf_cases=perf_cases(sketch),
        used_sizes=sketch.size_names if sketch.inputs else _used_sizes(sketch),
    )
    return tidy(text)


def rendered_triton(sketch: Sketch, style: Style, note: str = "") -> str:
    """Render the Triton text. `note`: the docstring of the module."""
    source = (
        templates()
        .get_template(f"{sketch.triton}.py.j2")
        .render(
            sketch=sketch,
            launcher=f'def {sketch.entry_point}({sketch.signature}):\n    """{sketch.summary}"""',
            style=style,
            tuning=functools.partial(tuning_of, style),
            # PyTorch by default multiplies float32 exactly, so kernels must not round to tf32.
            precision=', input_precision="ieee"' if "float32" in sketch.dtypes else "",
            **sketch.values,
        )
    )
    helpers, body = spelled(source.strip("\n"), exact=style.exact)
    docstring = f'"""{note}"""\n\n' if note else ""
    opening = f"{docstring}{IMPORTS}{sketch.values.get('imports', '')}"
    return tidy("\n\n\n".join((opening, *helpers, body)) + "\n")


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
    environment.globals.update(
        load_of=_load_of, widened=_widened, configurations=configurations, autotuned=autotuned
    )
    environment.filters.update(
        each=_each,
        loads=_loads,
        parameters=_parameters,
        arguments=_arguments,
        defined=_defined,
        launched=_launched,
    )
    return environment


MASKS = frozenset(
    one.name for operation in (*BINARY, *TERNARY) for one in operation.further if one.draw == "mask"
)
"""Operands that are boolean tensors. Kernels do not convert them to float32."""


def _load_of(
    name: str,
    place: str,
    mask: str = "mask",
    *,
    more: str = "",
    widen: bool = True,
    pointer: str = "@_ptr",
    target: str = "@",
) -> str:
    """Return the line that loads an operand. In each text, `@` stands for the operand's name."""
    zero = "0" if name in MASKS else "0.0"
    line = f"{target} = tl.load({pointer} + {place}, mask={mask}, other={zero}{more})"
    return line.replace("@", name) + (_widened(name) if widen else "")


def _loads(names: Iterable[str], *place: str, **options: Any) -> str:
    return "\n".join(_load_of(name, *place, **options) for name in names)


def _widened(name: str) -> str:
    return "" if name in MASKS else ".to(tl.float32)"


def _each(names: Iterable[str], pattern: str) -> str:
    """Return one line for each name: the pattern, filled in with the name."""
    return "\n".join(pattern.format(name) for name in names)


def _parameters(kernel: str) -> str:
    """Return the parameters of a kernel, one on each line.

    kernel: lines in one of four forms. `x_ptr: x` is a parameter and its argument. `n_cols` is a
    parameter whose argument has the same name. `BLOCK_SIZE = 64` is a constant. `BLOCK_SIZE =`
    is a constant that this launch does not pass.
    """
    lines = []
    for line in kernel.splitlines():
        names, equals, _ = line.partition(" =")
        ending = ": tl.constexpr," if equals else ","
        if not line.startswith("#"):
            lines += [name + ending for name in names.partition(":")[0].split(", ") if name]
    return "\n".join(lines)


def _arguments(kernel: str) -> str:
    """Return the arguments for the same lines. A line that starts with `#` remains a comment."""
    lines = []
    for line in filter(None, kernel.splitlines()):
        constant, equals, value = line.partition(" =")
        if line.startswith("#"):
            lines.append(line)
        elif equals:
            lines += [f"{constant}={value.strip()},"] if value.strip() else []
        else:
            _, colon, argument = line.partition(": ")
            lines += [f"{one}," for one in ([argument] if colon else line.split(", "))]
    return "\n".join(lines)


def _defined(kernel: str, name: str) -> str:
    """Return the start of a kernel's definition. `kernel`: the lines of its parameters."""
    return f"@triton.jit\ndef {name}(\n{textwrap.indent(_parameters(kernel), INDENT)}\n):"


def _launched(kernel: str, target: str, options: str = "") -> str:
    """Return the launch of a kernel. `target`: its name and grid, such as `add_kernel[grid]`."""
    lines = f"{_arguments(kernel)}\n{options}"
    return f"{target}(\n{textwrap.indent(lines, INDENT).rstrip()}\n)"


def cases(sketch: Sketch) -> list[str]:
    """Return cases in which every size occurs. Dtypes and layouts alternate, so each occurs too."""
    texts = []
    dtypes, layouts = cycle(sketch.dtypes), sketch.layouts
    rounds = max(len(sketch.sizes), len(sketch.dtypes), len(sketch.layouts))
    sizes = cycle(sketch.sizes)
    for seed in range(rounds):
        case: dict[str, object] = dict(next(sizes))
        case["dtype"] = next(dtypes)
        if len(sketch.layouts) > 1:
            # Shift the layouts. Otherwise each of two dtypes would always have the same layout.
            case["layout"] = layouts[(seed + seed // len(layouts)) % len(layouts)]
        case["seed"] = seed
        texts.append(_case(case))
    return texts


def perf_cases(sketch: Sketch) -> list[str]:
    """Return cases with the sizes of models. The dtype is the models', or else the narrowest."""
    narrow = next((name for name in NARROW if name in sketch.dtypes), sketch.dtypes[0])
    layout = {"layout": "contiguous"} if len(sketch.layouts) > 1 else {}
    cases = []
    for sizes in sketch.perf:
        dtype = sizes.get("dtype", narrow)
        dtype = dtype if dtype in sketch.dtypes else sketch.dtypes[0]
        cases.append(_case({**sizes, "dtype": dtype, **layout, "seed": 0}))
    return cases


NARROW = ("bfloat16", "float16")


def _case(case: Mapping[str, object]) -> str:
    return repr(dict(case)).replace("'", '"')


def _used_sizes(sketch: Sketch) -> list[str]:
    words = {
        word
        for argument in sketch.tensors
        for text in (*argument.shape, argument.bound)
        for word in re.findall(r"[A-Za-z_]\w*", text)
    }
    return [name for name in sketch.size_names if name in words]
