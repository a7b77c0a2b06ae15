"""Launch configurations: autotuned, fixed, or fixed with a grid that depends on META.

A template calls `tuning(space, key, **blocks)` for a kernel's configuration. `blocks` are the block
sizes of the sketch, and become the first configuration. The result renders the decorator, the grid
and the launch options.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.pairs.recipes.sketch import Config, config_rows
from validation.pairs.recipes.styles import AUTOTUNE, FIXED, META, Style

SPACES: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("tables").joinpath("spaces.toml").read_text("utf-8")
)


def configurations(configs: Iterable[Config], why: Iterable[str]) -> str:
    """Return the list of an autotuner's configurations, below comments on their choice."""
    lines = [f"# {line}" for line in why]
    return "\n".join((*lines, "CONFIGS = [", *(f"    {_config(one)}," for one in configs), "]"))


def autotuned(key: Iterable[str]) -> str:
    """Return the decorator that autotunes a kernel."""
    names = ", ".join(f'"{name}"' for name in key)
    return f"@triton.autotune(configs=CONFIGS, key=[{names}])"


@dataclass(frozen=True, slots=True)
class Tuning:
    """The configuration of one kernel."""

    kind: str
    others: Sequence[Config]
    key: Sequence[str]
    first: Config
    reason: str
    """Comment on the choice of the block size, or ""."""
    writes_warps: bool

    @property
    def decorator(self) -> str:
        """Lines before `@triton.jit`, or "" if there are none."""
        if self.kind != AUTOTUNE:
            return ""
        own = self.first[0]
        configs = [self.first] if own else []
        for blocks, warps, stages in self.others:
            if own.keys() <= blocks.keys() and blocks.keys() - own.keys() <= {"BLOCK_K", "GROUP_M"}:
                config = {name: blocks[name] for name in own}, warps, stages
                configs += [config] if config not in configs else []
        return f"{self.reason}{configurations(configs, ())}\n\n\n{autotuned(self.key)}\n"

    @property
    def is_tuned(self) -> bool:
        return self.kind == AUTOTUNE

    def grid(self, *sizes: str) -> str:
        """Return the assignment of the grid. Sizes may name blocks: `cdiv(n, {BLOCK_SIZE})`."""
        fixed = self.kind == FIXED
        blocks = self.first[0]
        spelled = {name: name.lower() if fixed else f'META["{name}"]' for name in blocks}
        texts = [size.format(**spelled) for size in sizes]
        inner = ", ".join(texts) + ("," if len(texts) == 1 else "")
        if len(inner) > LONGEST_GRID:
            inner = "\n" + "".join(f"    {text},\n" for text in texts)
        if not fixed:
            return f"grid = {'lambda META: ' if '{' in ''.join(sizes) else ''}({inner})"
        named = "".join(f"{name.lower()} = {size}\n" for name, size in blocks.items())
        return f"{self.reason if named else ''}{named}grid = ({inner})"

    @property
    def options(self) -> str:
        """Return the last lines of the launch's arguments, or "" if the options are autotuned."""
        if self.kind == AUTOTUNE:
            return ""
        lines = [
            f"{block}={value if self.kind == META else block.lower()},"
            for block, value in self.first[0].items()
        ]
        if self.writes_warps or not self.first[0]:
            # A kernel without blocks gets its number of warps from the row's length at run time.
            of_row = "16 if {0} > 8192 else 8 if {0} > 2048 else 4".format(self.key[-1])
            lines.append(f"num_warps={self.first[1] or of_row},")
            lines += [f"num_stages={self.first[2]},"] if self.first[2] else []
        # The reason for a fixed block size is at its assignment, which is before the grid.
        reason = self.reason if self.kind == META or not self.first[0] else ""
        return reason + "\n".join(lines)


LONGEST_GRID = 70
"""Maximum characters of a grid that is written on one line."""


def tuning_of(
    style: Style, space: str, key: Sequence[str], *, tunable: bool = True, **blocks: int
) -> Tuning:
    """Return the configuration of a kernel.

    tunable: False if the kernel adds to its output, because autotuning runs a kernel repeatedly.
    """
    known = SPACES[space]
    kind = style.tuning if tunable or style.tuning != AUTOTUNE else META
    reasons, warps = known["reasons"], style.warps or _usual_warps(blocks)
    # Triton launches four warps where a kernel states no number.
    used = warps if warps and (kind == AUTOTUNE or style.writes_warps) else 4
    elements = _elements(blocks)
    words = reasons[style.number % len(reasons)].format(
        elements=f"{elements:,}", each=max(1, elements // (32 * used))
    )
    reason = "\n".join(f"# {line}" for line in words.splitlines())
    return Tuning(
        kind=kind,
        others=[one for part in known["configs"].split(";") for one in config_rows(part)],
        key=key,
        first=(blocks, warps, known.get("stages", 0)),
        reason=f"{reason}\n" if reason else "",
        writes_warps=style.writes_warps,
    )


def _usual_warps(blocks: Mapping[str, int]) -> int:
    if not blocks:
        return 0
    elements = _elements(blocks)
    if "BLOCK_K" in blocks:
        return 8 if elements >= 128 * 128 else 4
    is_small = elements < 512 and tuple(blocks) != ("BLOCK_M",)
    return 2 if is_small else 4 if elements <= 2048 else 8


def _elements(blocks: Mapping[str, int]) -> int:
    """Return the number of elements of a block of the output."""
    return math.prod(size for name, size in blocks.items() if name not in ("BLOCK_K", "GROUP_M"))


def _config(config: Config) -> str:
    sizes, warps, stages = config
    blocks = ", ".join(f'"{name}": {value}' for name, value in sizes.items())
    pipeline = f", num_stages={stages}" if stages else ""
    return f"triton.Config({{{blocks}}}, num_warps={warps}{pipeline})"
