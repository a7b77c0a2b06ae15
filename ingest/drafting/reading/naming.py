"""Names of drafts, and conversion of dotted names to tuples."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Words with several capital letters.
WORDS = ("SwiGLU", "GeGLU", "SiLU", "GELU", "ReLU", "DyT", "RoPE", "ViT", "KLDiv", "MoE", "mHC",
         "1D", "2D", "3D")  # fmt: skip


def entry_point(operation: str) -> str:
    """Return a name for the function that both sides define. No launcher has this name."""
    return f"run_{to_snake_case(operation.rpartition('.')[2])}"


# Words in names that say how a function is implemented, not what it computes.
MADE = re.compile(
    r"_(fn|func|kernel|apply|impl|triton|comm|head|autograd)(?=_|$)|_(fwd|forward|op)$"
    r"|^(triton|run|launch|liger)_"
)


def plain_name(name: str) -> str:
    """Convert `pow_func_tensor_scalar` to `pow_tensor_scalar`, and `LigerDyTFunction` to `dyt`."""
    name = to_snake_case(name.rpartition(".")[2])
    while (shorter := MADE.sub("", name)) != name and shorter.isidentifier():
        name = shorter
    return name


def entry_names(
    operation: str, launchers: Sequence[str] = (), of_torch: str = ""
) -> tuple[str, ...]:
    """Return candidate names for an operation's entry point, the best first. `launchers`: the
    functions that the test calls. `of_torch`: the torch function that is its reference.

    A class such as `Chunk` gets the longer name of the function that applies it.
    """
    last = operation.rpartition(".")[2]
    plain, own = plain_name(last), to_snake_case(last)
    names = [plain, own, f"tensor_{plain}"]
    if any(is_part(last, each, of_torch) for each in launchers):
        names.insert(0, of_torch)
    longer = plain_name(launchers[0]) if len(launchers) == 1 and launchers[0].islower() else ""
    is_class = last.strip("_")[:1].isupper()
    if is_class and {*names[0].split("_")} < {*longer.split("_")} - {"fused"}:
        names.insert(0, longer)
    return tuple(dict.fromkeys(each for each in names if each.isidentifier()))


def is_part(operation: str, launcher: str, of_torch: str) -> bool:
    """Return whether an operation is only a part of a launcher that is named like torch's function:
    `copy` in `repeat_interleave`, `clamp_max` in `clamp`.
    """
    part, whole = plain_name(operation), plain_name(launcher)
    if not of_torch or part == of_torch:
        return False
    named = f"{of_torch}_"
    return whole == of_torch or (whole.startswith(named) and not part.startswith(named))


def to_snake_case(name: str) -> str:
    """Convert `LigerRMSNormFunction` to `liger_rms_norm`."""
    name = re.sub(r"(Function|Func|Fn|Auto[Gg]rad)$", "", name.strip("_")) or name
    for word in WORDS:
        name = name.replace(word, word.capitalize())
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"_+", "_", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)).lower().strip("_")
