"""Classification of compiler errors: caused by the guessed signature, or by the kernel."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from validation.compile.guess import Hint
from validation.compile.value_sources import Place


@dataclass(frozen=True, slots=True)
class Complaint:
    """Error of a compile attempt.

    `places`: the expressions that it refers to, innermost first.
    """

    message: str
    places: Sequence[Place] = ()

    @property
    def reached(self) -> tuple[tuple[int, int], ...]:
        """Line and column of the error in each function, outermost first. If they are unknown, a
        position after the end of any text."""
        return tuple((place[1], place[2]) for place in reversed(self.places)) or ((1 << 30, 0),)

    @property
    def brief(self) -> str:
        return " ".join(self.message.split())[:300]


# Errors about the language itself, for which no other signature would help.
LANGUAGE = re.compile(
    r"""have\ been\ removed
    | module\ 'triton[^']*'\ has\ no\ attribute
    | (?:unexpected|invalid)\ keyword\ argument
    | got\ multiple\ values\ for | takes\ \d.*positional\ argument | missing\ \d+\ required
    | missing\ a\ required\ argument
    | Cannot\ access\ global\ variable
    | unsupported\ AST\ node | not\ supported\ in\ triton | nested\ (?:function|comprehension)
    | is\ not\ (?:currently\ )?supported\ by\ the\ (?:code\ generator|Triton)
    | Unsupported\ (?:language|conversion)
    | Did\ you\ forget\ to\ add\ @triton\.jit
    | must\ be\ (?:a\ )?(?:called|used)\ (?:within|in)\ | can\ only\ be\ used\ in\ @triton
    | AST\ [Nn]ode | cannot\ reassign\ constexpr
    | Only\ `range`\ and
    | object\ of\ type\ 'NoneType'\ has\ no\ len | language\ construct
    | [Rr]eturn\ statements?\ inside
    | Cannot\ have\ `?return | chained\ boolean | chained\ comparison | is\ deprecated
    | No\ module\ named | cannot\ import\ name
    | is\ not\ defined
    | only\ supported\ (?:on|for)\ | requires\ (?:sm|compute) | not\ supported\ (?:on|in)\ this
    """,
    re.VERBOSE,
)

HINTS: Sequence[tuple[str, Hint]] = (
    (
        r"Unsupported ptr type|must be a pointer type|has no attribute '(?:element_ty|is_ptr)",
        Hint.POINTER,
    ),
    (r"cannot add pointers together|pointer<.*pointer<|pointer|Cannot bitcast", Hint.NO_POINTER),
    (r"has no attribute '(?:load|store|block_shape|shape|strides)'", Hint.POINTER),
    (r"not iterable|is not subscriptable|unpack|'tuple'|getitem", Hint.TUPLE),
    (r"must be of type tl.constexpr|constexpr", Hint.CONSTANT),
    (r"exceeds triton maximum|exceeds|too large|out of range", Hint.SMALLER),
    (r"should have M|K >= |at least|must be greater|must be >=", Hint.LARGER),
    (r"Expected dtype \['fp32'|floating-point operands|expected.*float", Hint.FLOATING),
    (r"Loop-carried variable .* has initial type (?:<\[[^]]*\], )?u?int", Hint.FLOATING),
    (
        r"must all be ints|integer|invalid operands|wrong type argument to unary invert",
        Hint.INTEGER,
    ),
    (r"Cannot use /, #, or %|unexpected type (?:fp|bf)|Unexpected dtype", Hint.INTEGER),
)


def is_of_the_language(complaint: Complaint) -> bool:
    return LANGUAGE.search(complaint.message) is not None


def hint(complaint: Complaint) -> Hint:
    for pattern, matching in HINTS:
        if re.search(pattern, complaint.message):
            return matching
    return Hint.OTHER
