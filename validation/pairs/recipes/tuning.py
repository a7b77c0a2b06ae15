"""Launch configurations: autotuned, with a grid that depends on META, or fixed.

A template calls `tuning(space, key, **blocks)` for a kernel's configuration. `blocks` are the
sketch's block sizes, which become the first configuration. The result renders the decorator, the
grid, and the launch options.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from validation.pairs.recipes.spaces import SPACES, BlockConfig, Space
from validation.pairs.recipes.styles import AUTOTUNE, FIXED, META, Style

DECORATOR = """CONFIGS = [
{configs}
]


@triton.autotune(
{note}    configs=CONFIGS if torch.cuda.is_available() else CONFIGS[:1],
    key=[{key}],
)
"""
NOTE = "    # Without a GPU there is nothing to measure, so the interpreter takes the first.\n"


@dataclass(frozen=True, slots=True)
class Tuning:
    """The configuration of one kernel."""

    kind: str
    space: Space
    key: Sequence[str]
    first: BlockConfig
    reason: str
    """Comment on the choice of the block size; empty for none."""
    writes_warps: bool

    @property
    def decorator(self) -> str:
        """Lines before `@triton.jit`, or an empty text."""
        if self.kind != AUTOTUNE:
            return ""
        configs = [_config(self.first)]
        for other in self.space.others:
            more = other.blocks.keys() - self.first.blocks.keys()
            if more <= {"BLOCK_K", "GROUP_M"} and self.first.blocks.keys() <= other.blocks.keys():
                blocks = {name: other.blocks[name] for name in self.first.blocks}
                configs.append(_config(replace(other, blocks=blocks)))
        key = ", ".join(f'"{name}"' for name in self.key)
        lines = "\n".join(f"    {config}," for config in dict.fromkeys(configs))
        return f"{self.reason}{DECORATOR.format(configs=lines, key=key, note=NOTE)}"

    @property
    def is_tuned(self) -> bool:
        return self.kind == AUTOTUNE

    def grid(self, *sizes: str, name: str = "grid") -> str:
        """Return the assignment of the grid. Sizes may use block names: `cdiv(n, BLOCK_SIZE)`."""
        uses_blocks = any(block in size for size in sizes for block in self.first.blocks)
        if self.kind != FIXED and uses_blocks:
            return f"{name} = lambda META: {self._tuple(sizes, META_ITEM)}"
        if self.kind != FIXED:
            return f"{name} = {self._tuple(sizes, '{}')}"
        named = "".join(f"{_local(b)} = {value}\n" for b, value in self.first.blocks.items())
        return f"{self.reason if named else ''}{named}{name} = {self._tuple(sizes, '')}"

    @property
    def options(self) -> str:
        """Return the last lines of the launch's arguments, or "" if options are autotuned."""
        if self.kind == AUTOTUNE:
            return ""
        lines = [
            f"{block}={value if self.kind == META else _local(block)},"
            for block, value in self.first.blocks.items()
        ]
        if self.writes_warps or not self.first.blocks:
            # Without blocks, the number of warps depends on the row's length at run time.
            of_row = "16 if {0} > 8192 else 8 if {0} > 2048 else 4".format(self.key[-1])
            lines.append(f"num_warps={self.first.warps if self.first.blocks else of_row},")
            lines += [f"num_stages={self.first.stages},"] if self.first.stages else []
        # The explanation of a fixed block size is at its assignment, before the grid.
        reason = self.reason if self.kind == META or not self.first.blocks else ""
        return reason + "\n".join(lines)

    def _tuple(self, sizes: Sequence[str], spelled: str) -> str:
        def block(match: re.Match[str]) -> str:
            return spelled.format(match[0]) if spelled else _local(match[0])

        blocks = "|".join(self.first.blocks)
        if blocks:
            pattern = re.compile(rf"\b(?:{blocks})\b")
            sizes = [pattern.sub(block, size) for size in sizes]
        inner = ", ".join(sizes) + ("," if len(sizes) == 1 else "")
        if len(inner) <= LONGEST_GRID:
            return f"({inner})"
        return "(\n" + "".join(f"    {size},\n" for size in sizes) + ")"


META_ITEM = 'META["{}"]'
LONGEST_GRID = 70
"""Most characters of a grid that stays on one line."""


def tuning_of(
    style: Style, space: str, key: Sequence[str], *, tunable: bool = True, **blocks: int
) -> Tuning:
    """Return the configuration of a kernel.

    tunable: False for a kernel that adds to its output, because autotuning would run it repeatedly.
    """
    known = SPACES[space]
    kind = style.tuning if tunable or style.tuning != AUTOTUNE else META
    reasons = known.reasons
    reason = "\n".join(f"# {line}" for line in reasons[style.number % len(reasons)].splitlines())
    return Tuning(
        kind=kind,
        space=known,
        key=key,
        first=BlockConfig(blocks, known.warps(blocks), known.stages),
        reason=f"{reason}\n" if reason else "",
        writes_warps=style.writes_warps,
    )


def _config(config: BlockConfig) -> str:
    blocks = ", ".join(f'"{name}": {value}' for name, value in config.blocks.items())
    stages = f", num_stages={config.stages}" if config.stages else ""
    return f"triton.Config({{{blocks}}}, num_warps={config.warps}{stages})"


def _local(block: str) -> str:
    return block.lower()
