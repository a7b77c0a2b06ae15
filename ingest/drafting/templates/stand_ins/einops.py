"""Stand-in for einops, on torch alone."""

import math
import re

import torch


def rearrange(tensor, pattern, **sizes):
    """Axes split, reordered and merged, as the pattern says."""
    if isinstance(tensor, (list, tuple)):
        tensor = torch.stack(list(tensor))
    left, right = _einops_sides(pattern, tensor.dim())
    known = _einops_sizes(left, tensor.shape, sizes)
    flat = [axis for group in left for axis in group]
    wanted = [axis for group in right for axis in group]
    tensor = tensor.reshape([known[axis] for axis in flat])
    tensor = tensor.permute([flat.index(axis) for axis in wanted if axis in flat])
    return tensor.reshape([math.prod(known[axis] for axis in group) for group in right])


def repeat(tensor, pattern, **sizes):
    """Like rearrange, with axes that are new on the right."""
    left, right = _einops_sides(pattern, tensor.dim())
    known = {**sizes, **_einops_sizes(left, tensor.shape, sizes)}
    flat = [axis for group in left for axis in group]
    wanted = [axis for group in right for axis in group]
    tensor = tensor.reshape([known[axis] for axis in flat])
    tensor = tensor.permute([flat.index(axis) for axis in wanted if axis in flat])
    for place, axis in enumerate(wanted):
        if axis not in flat:
            known.setdefault(axis, int(axis.rpartition(" ")[2]) if " " in axis else 1)
            tensor = tensor.unsqueeze(place)
    tensor = tensor.expand([known[axis] for axis in wanted])
    return tensor.reshape([math.prod(known[axis] for axis in group) for group in right])


def reduce(tensor, pattern, reduction, **sizes):
    """Axes that are missing on the right are summed, averaged or searched for an extreme."""
    left, right = _einops_sides(pattern, tensor.dim())
    known = _einops_sizes(left, tensor.shape, sizes)
    flat = [axis for group in left for axis in group]
    wanted = [axis for group in right for axis in group if axis in flat]
    gone = [place for place, axis in enumerate(flat) if axis not in wanted]
    tensor = tensor.reshape([known[axis] for axis in flat])
    if gone:
        named = {"max": "amax", "min": "amin"}.get(reduction, reduction)
        tensor = getattr(tensor, named)(gone)
    kept = [axis for axis in flat if axis in wanted]
    tensor = tensor.permute([kept.index(axis) for axis in wanted])
    return tensor.reshape(
        [math.prod(known[axis] for axis in group if axis in known) for group in right]
    )


def _einops_sides(pattern, rank):
    """Both sides as groups of axes; a literal number is an axis of its own name."""
    sides = []
    for side in pattern.split("->"):
        groups = re.findall(r"\([^)]*\)|\S+", side)
        sides.append([group.strip("()").split() for group in groups])
    dots = rank - sum(group != ["..."] for group in sides[0])
    names = [f"...{number}" for number in range(dots)]
    for number, groups in enumerate(sides):
        made = []
        for place, group in enumerate(groups):
            if group == ["..."]:
                made += [[name] for name in names]
            else:
                spread = [name for axis in group for name in (names if axis == "..." else [axis])]
                made.append(
                    [
                        f"{number}.{place}.{axis} {axis}" if axis.isdigit() else axis
                        for axis in spread
                        if axis != "1"
                    ]
                )
        sides[number] = made
    return sides


def _einops_sizes(groups, shape, sizes):
    known = dict(sizes)
    for group, size in zip(groups, shape):
        given = math.prod(known[axis] for axis in group if axis in known)
        for axis in group:
            if axis not in known:
                known[axis] = size // given
    return known
