"""Launch configurations: autotuned, by a grid of META, or fixed.

A template asks `tuning(space, key, **blocks)` for a kernel's configuration. `blocks` are the
block sizes of the sketch, which become the first configuration. The answer renders three places:
the decorator, the grid, and the options of the launch.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from validation.pairs.recipes.spaces import SPACES, Config, Space
from validation.pairs.recipes.styles import AUTOTUNE, META, Style

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
    first: Config
    reason: str
    """Comment on the choice of the block size; empty for none."""
    writes_warps: bool

    @property
    def decorator(self) -> str:
        """Lines before `@triton.jit`."""
        if self.kind != AUTOTUNE:
            return ""
        configs = (self.first, *(one for one in self.space.others if self._differs(one)))
        key = ", ".join(f'"{name}"' for name in self.key)
        lines = "\n".join(f"    {_config(config)}," for config in configs)
        return f"{self.reason}{DECORATOR.format(configs=lines, key=key, note=NOTE)}"

    def grid(self, *sizes: str, name: str = "grid") -> str:
        """Return the assignment of the grid. Sizes name blocks, such as `cdiv(n, BLOCK_SIZE)`."""
        uses_blocks = any(block in size for size in sizes for block in self.first.blocks)
        if self.kind in (AUTOTUNE, META) and uses_blocks:
            sizes_of_meta = self._tuple(sizes, 'META["{}"]')
            return f"{name} = lambda META: {sizes_of_meta}"
        reason = "" if self.kind == AUTOTUNE else self.reason
        if self.kind == META or not uses_blocks or not self.first.blocks:
            return f"{reason if not uses_blocks else ''}{name} = {self._tuple(sizes, '{}')}"
        named = "".join(f"{_local(b)} = {value}\n" for b, value in self.first.blocks.items())
        return f"{reason}{named}{name} = {self._tuple(sizes, '')}"

    @property
    def options(self) -> str:
        """Return the lines that close the launch's arguments; empty if they are tuned."""
        if self.kind == AUTOTUNE:
            return ""
        lines = [
            f"{block}={value if self.kind == META else _local(block)},"
            for block, value in self.first.blocks.items()
        ]
        if self.writes_warps:
            lines.append(f"num_warps={self.first.warps},")
            lines += [f"num_stages={self.first.stages},"] if self.first.stages else []
        return "\n".join(lines)

    def _tuple(self, sizes: Sequence[str], spelled: str) -> str:
        def block(match: re.Match[str]) -> str:
            return spelled.format(match[0]) if spelled else _local(match[0])

        blocks = "|".join(self.first.blocks)
        if blocks:
            pattern = re.compile(rf"\b(?:{blocks})\b")
            sizes = [pattern.sub(block, size) for size in sizes]
        inner = ", ".join(sizes)
        return f"({inner},)" if len(sizes) == 1 else f"({inner})"

    def _differs(self, other: Config) -> bool:
        same = {name: other.blocks.get(name) for name in self.first.blocks}
        is_complete = None not in same.values()
        return is_complete and (same, other.warps) != (dict(self.first.blocks), self.first.warps)


def tuning_of(
    style: Style, space: str, key: Sequence[str], *, tunable: bool = True, **blocks: int
) -> Tuning:
    """Return the configuration of a kernel.

    tunable: False for a kernel that adds to its output, which trial runs would change.
    """
    known = SPACES[space]
    kind = style.tuning if tunable or style.tuning != AUTOTUNE else META
    reasons = known.reasons
    reason = "\n".join(f"# {line}" for line in reasons[style.number % len(reasons)].splitlines())
    return Tuning(
        kind=kind,
        space=known,
        key=key,
        first=Config(blocks, known.warps(blocks), known.stages),
        reason=f"{reason}\n" if reason else "",
        writes_warps=style.writes_warps,
    )


def _config(config: Config) -> str:
    blocks = ", ".join(f'"{name}": {value}' for name, value in config.blocks.items())
    stages = f", num_stages={config.stages}" if config.stages else ""
    return f"triton.Config({{{blocks}}}, num_warps={config.warps}{stages})"


def _local(block: str) -> str:
    return block.lower()
