"""Parts of a kernel are written apart: what one keeps for later, no other may overwrite."""

from __future__ import annotations

import re

from validation.pairs.recipes.integers import INTEGERS
from validation.pairs.recipes.operations import BINARY, TERNARY
from validation.pairs.recipes.rendering import TEMPLATES
from validation.pairs.recipes.unary import UNARY

# Of an assignment (to several too), of a loop, and a parameter on a line of its own.
BOUND = re.compile(
    r"^\s*(?:((?:\w+, )*\w+) [-+*/|&]?= |for ((?:\w+, )*\w+) in |(\w+)(?:: tl\.constexpr)?,$)",
    re.MULTILINE,
)


# The parameters of a kernel, each with its argument.
KERNEL = re.compile(r"^\{% set \w+ %\}\n(.*?)^\{% endset %\}\n", re.MULTILINE | re.DOTALL)


def bound(code: str) -> set[str]:
    found = (one or two or three for one, two, three in BOUND.findall(code))
    return {name for names in found for name in names.split(", ")}


def _without_tags(code: str) -> str:
    """Write each parameter of a kernel on a line of its own, and remove the tags."""

    def parameters(kernel: re.Match[str]) -> str:
        lines = (re.split(r": | =", line)[0] for line in kernel[1].splitlines())
        names = (name for line in lines for name in re.findall(r"\w+(?=,|\"|$)", line))
        return "".join(f"{name},\n" for name in names)

    return re.sub(r"\{[#%].*?[#%]\}", "", KERNEL.sub(parameters, code), flags=re.DOTALL)


TEMPLATES_OF_KERNELS = {
    path.name: _without_tags(path.read_text())
    for path in sorted((TEMPLATES / "triton").glob("*.j2"))
}
OF_OPERATIONS = {
    name
    for operation in (*UNARY, *BINARY, *TERNARY, *INTEGERS)
    for line in operation.before
    for name in bound(line)
}


def test_templates_and_operations_share_no_variable_names() -> None:
    shared = {name: OF_OPERATIONS & bound(code) for name, code in TEMPLATES_OF_KERNELS.items()}

    assert {name: names for name, names in shared.items() if names} == {}
    assert len(OF_OPERATIONS) > 10


def test_templates_and_further_operands_share_no_variable_names() -> None:
    operands = {one.name for operation in (*BINARY, *TERNARY) for one in operation.further}
    # Gated units and losses have a gate and a target of their own.
    shared = {
        name: operands & bound(code)
        for name, code in TEMPLATES_OF_KERNELS.items()
        if "chain." in code
    }

    assert {name: names for name, names in shared.items() if names - {"gate", "target"}} == {}
