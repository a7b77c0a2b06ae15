"""Kinds of mistakes: where each can be made, and its explanation."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from validation.repairs import places, values
from validation.repairs.source import FaultyText, Mistake, ParsedText


@dataclass(frozen=True, slots=True)
class MistakeKind:
    """A kind of mistake.

    name: name in the dataset and on the command line.
    positions: yields the mistakes of this kind that a text allows.
    why: explanation of the mistake, in sentences. `{name}` is replaced by a fact of the mistake.
    fix: explanation of the correction, in the same form.
    needs_variations: whether the mistake may show only on sizes or values beyond a test's cases.
    shown_in_interpreter: text that a failure in Triton's interpreter must contain. Other failures
    there prove nothing, because the interpreter computes on the bit patterns of bfloat16.
    """

    name: str
    positions: Callable[[ParsedText], Iterable[Mistake]]
    why: str
    fix: str
    needs_variations: bool = False
    shown_in_interpreter: str = ""

    def faults(self, source: ParsedText, draw: Random | None = None) -> Iterator[FaultyText]:
        """Yield texts with one mistake each, in the order of positions, or shuffled by `draw`."""
        positions = list(self.positions(source))
        if draw is not None:
            draw.shuffle(positions)
        known = set()
        for position in positions:
            fault = source.fault(position)
            if fault is not None and fault.code not in known:
                known.add(fault.code)
                yield fault

    def explain(self, fault: FaultyText) -> str:
        why, fix = (text.format(**fault.facts) for text in (self.why, self.fix))
        if fault.lacks_statement:
            return (
                f"A statement is missing in {fault.place}. {why}\n\n"
                f"The correction inserts `{fault.shown_right}` there. {fix}"
            )
        return (
            f"The mistake is in {fault.place}: `{fault.shown}`. {why}\n\n"
            f"The correction is `{fault.shown_right}`. {fix}"
        )


_ALL = (
    MistakeKind(
        "missing-load-mask",
        partial(values.without_mask, "load"),
        "The load has no mask, so lanes where `{mask}` is false read too, from other places of the "
        "tensor or from outside of it.",
        "The mask keeps these lanes from reading.",
    ),
    MistakeKind(
        "missing-store-mask",
        partial(values.without_mask, "store"),
        "The store has no mask, so lanes where `{mask}` is false write too, to other places of the "
        "tensor or outside of it.",
        "The mask lets only lanes before the end write.",
    ),
    MistakeKind(
        "half-mask",
        values.half_mask,
        "The mask is only `{kept}`. In the last tile of the other axis, lanes where `{gone}` is "
        "false take part too: they reach the next row, or memory outside of the tensor.",
        "The mask must bound both axes.",
    ),
    MistakeKind(
        "mask-off-by-one",
        values.mask_off_by_one,
        "With `<=`, the index `{size}` passes the mask too, one past the last.",
        "With `<`, the last index that passes is `{size} - 1`.",
    ),
    MistakeKind(
        "wrong-other",
        values.wrong_other,
        "Lanes where `{mask}` is false take part in the reduction. They hold `{wrong}` instead of "
        "`{right}`.",
        "With `other={right}` they do not affect the result.",
    ),
    MistakeKind(
        "missing-other",
        values.missing_other,
        "Without `other`, lanes where `{mask}` is false hold undefined values, and take part in "
        "the reduction.",
        "With `other={right}` they change nothing.",
    ),
    MistakeKind(
        "wrong-stride",
        places.wrong_stride,
        "`{first}` is multiplied by `{second_stride}`, and `{second}` by `{first_stride}`. The "
        "strides are swapped, so element [j, i] stands for element [i, j].",
        "`{first_stride}` is the stride of `{first}`, and `{second_stride}` that of `{second}`.",
    ),
    MistakeKind(
        "assumed-contiguous",
        places.assumed_contiguous,
        "`{index}` is not multiplied by `{stride}`. This is right only if that stride is 1. With "
        "another one the address lies between the elements, or at other elements.",
        "With `{stride}` the address is right for every stride.",
    ),
    MistakeKind(
        "transposed-load",
        places.transposed_load,
        "`{first}` lies along axis 0 and `{second}` along axis 1, so the tile or its mask does not "
        "fit what it meets, or, if both axes are equally long, is mirrored.",
        "`{second}` belongs along axis 0, and `{first}` along axis 1.",
    ),
    MistakeKind(
        "racing-store",
        places.racing_store,
        "Several programs store their shares to the same element, so only the share of the last "
        "one remains.",
        "An atomic addition adds up all shares.",
    ),
    MistakeKind(
        "shared-place",
        places.shared_place,
        "The address lacks `{gone}`. So programs that differ only in it write to the same place, "
        "and other places stay unwritten.",
        "With `{gone}`, each program writes to its own place.",
    ),
    MistakeKind(
        "narrow-integers",
        values.narrow_integers,
        "The integer type cannot hold the values, so they overflow, lose bits or change "
        "their sign{or_else}.",
        "The type of the correction holds all values.",
    ),
    MistakeKind(
        "low-precision",
        values.low_precision,
        "The type is too narrow for what follows: float16 keeps only 11 bits of a value and "
        "bfloat16 8, and functions such as `tl.exp` reject both.",
        "float32 keeps the digits, and only the result is rounded.",
        shown_in_interpreter="Expected dtype",
    ),
    MistakeKind(
        "unmasked-reduction",
        values.unmasked_reduction,
        "Lanes where `{mask}` is false hold `{value}` instead of `{neutral}`, and what follows "
        "counts them.",
        "`tl.where` sets these lanes to `{neutral}`, which changes nothing.",
    ),
    MistakeKind(
        "wrong-axis",
        values.wrong_axis,
        "`{call}` works along axis {wrong} of `{tile}`, so it combines what must stay apart. Its "
        "result does not fit or, if both axes are equally long, is wrong.",
        "Its values must be combined along axis {axis}.",
    ),
    MistakeKind(
        "overwritten-accumulator",
        values.overwritten_accumulator,
        "When it runs, it replaces `{target}`, so what earlier iterations accumulated is lost.",
        "Each block must be combined with what the earlier iterations accumulated.",
    ),
    MistakeKind(
        "wrong-initial-value",
        values.wrong_initial_value,
        "A {extreme} that begins at 0 stays 0 where all values are {sign}{effect}.",
        "`{right}` is {side} every value, so the first one replaces it.",
        needs_variations=True,
    ),
    MistakeKind(
        "missing-maximum",
        values.missing_maximum,
        "The maximum `{maximum}` is not subtracted before the exponential{effect}.",
        "After the subtraction, no exponent is above 0.",
        needs_variations=True,
    ),
    MistakeKind(
        "swapped-operands",
        values.swapped_operands,
        "The operands of `{operation}` are swapped, so {effect}.",
        "`{first}` must be the first of the two.",
    ),
    MistakeKind(
        "dropped-scale",
        values.dropped_scale,
        "`{rest}` is not {action} by `{factor}`, so {effect}.",
        "It must be {action} by `{factor}`.",
    ),
    MistakeKind(
        "dropped-epsilon",
        values.dropped_epsilon,
        "The small constant `{constant}` is missing. It counts most where `{rest}` is small: a "
        "division by it, or by its root, is infinite or NaN where it is 0.",
        "`{constant}` keeps the sum above 0, so that the result stays finite.",
        needs_variations=True,
    ),
    MistakeKind(
        "missing-constexpr",
        places.missing_constexpr,
        "Without `tl.constexpr`, `{name}` is known only at the launch. The kernel uses it where a "
        "constant must stand, so it does not compile.",
        "`tl.constexpr` makes it a constant of the compiled kernel.",
    ),
    MistakeKind(
        "no-power-of-two",
        places.no_power_of_two,
        "The length of a `tl.arange` must be a power of two, and `{size}` may be any number.",
        "`triton.next_power_of_2` rounds it up, and the mask hides the rest.",
    ),
    MistakeKind(
        "wrong-grid",
        places.wrong_grid,
        "`{size} // {block}` rounds down. Where `{block}` does not divide `{size}`, the grid has "
        "too few programs, and the blocks with the highest numbers are never computed.",
        "`triton.cdiv` rounds up, so every block has a program.",
    ),
    MistakeKind(
        "short-loop",
        places.short_loop,
        "`{wrong}` leaves out the last, incomplete block.",
        "The last block counts too, and its mask bounds it.",
    ),
    MistakeKind(
        "repeated-block",
        places.repeated_block,
        "Without `{gone}`, the address does not move with the loop, so each iteration takes the "
        "same elements.",
        "With it, each iteration takes its own elements.",
    ),
    MistakeKind(
        "skipped-block",
        places.skipped_block,
        "Blocks are counted from `{wrong}` instead of `{right}`, so the first block is left out.",
        "The first block begins at 0.",
    ),
    MistakeKind(
        "overlapping-blocks",
        places.overlapping_blocks,
        "The program ID is not multiplied by the size of a block, so the blocks of neighboring "
        "programs begin one element apart: they overlap, and do not reach all elements.",
        "With the product, each program has a block of its own.",
    ),
    MistakeKind(
        "wrong-program-axis",
        places.wrong_program_axis,
        "The number along axis 0 of the grid takes the place of the number along axis {axis}. "
        "Programs that differ only along axis {axis} do the same work, and other work is left out.",
        "Each index must come from its own axis of the grid.",
    ),
    MistakeKind(
        "swapped-arguments",
        places.swapped_arguments,
        "The launch passes `{right}` as `{first}` and `{left}` as `{second}`, so each address, "
        "bound or factor that the kernel computes from one of them has the other's value.",
        "The arguments must come in the order of the parameters.",
    ),
    MistakeKind(
        "uninitialized-output",
        places.uninitialized_output,
        "`empty` leaves in the tensor what its memory held before. What no program writes keeps "
        "it, and an atomic addition adds to it.",
        "The tensor must begin with zeros.",
    ),
)
KINDS = {kind.name: kind for kind in _ALL}
