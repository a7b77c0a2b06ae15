"""Pygments lexer for Triton: Python, with the operations of `triton.language` by kind.

It reads a text in bounded time, provided that `is_readable` accepts the text.
"""

import re
from collections.abc import Iterator
from typing import Any

from pygments.lexers import PythonLexer
from pygments.token import Name, Operator

LONGEST = 200_000
# At the start of each line, Pygments skips all blanks to look for a docstring. It took 302 s for a
# text of 200,000 characters that alternates space and newline.
BLANKS = re.compile(r"\n[^\S\n]*\n\s{1000}")

MEMORY, COMPUTE, PROGRAM, META = (
    Name.Builtin.Memory, Name.Builtin.Compute, Name.Builtin.Program, Name.Builtin.Meta,
)  # fmt: skip
CONSTEXPR, POINTER, MASK = Name.Variable.Constexpr, Name.Variable.Pointer, Name.Variable.Mask

OPERATIONS = {
    MEMORY: (
        "load store atomic_add atomic_and atomic_cas atomic_load atomic_max atomic_min atomic_or "
        "atomic_poll atomic_store atomic_xchg atomic_xor make_block_ptr advance gather "
        "make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor"
    ),
    PROGRAM: "program_id num_programs arange range static_range cdiv swizzle2d debug_barrier",
    META: (
        "constexpr static_assert static_print device_assert device_print assume multiple_of "
        "max_contiguous max_constancy dtype tensor pointer_type block_type const target_info "
        "int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
        "float8e4b15 float8e4b8 float8e4nv float8e5 float8e5b16"
    ),
    COMPUTE: (
        "abs add argmax argmin associative_scan broadcast broadcast_to cast cat ceil clamp cos "
        "cumprod cumsum div_rn dot dot_scaled erf exp exp2 expand_dims fdiv flip floor fma full "
        "histogram inline_asm_elementwise interleave join log log2 map_elementwise max maximum min "
        "minimum mul permute philox rand rand4x randint randint4x randn randn4x ravel reduce "
        "reshape rsqrt sigmoid sin softmax sort split sqrt sqrt_rn squeeze sub sum topk trans "
        "umulhi unsqueeze view where xor_sum zeros zeros_like"
    ),
}
KINDS = {name: kind for kind, names in OPERATIONS.items() for name in names.split()}
DOCUMENTED = frozenset(
    name for kind, names in OPERATIONS.items() if kind is not META for name in names.split()
)
# Submodules of `triton.language` whose functions compute values.
SUBMODULES = frozenset({"math", "libdevice", "extra", "cuda", "random", "standard", "core"})

LANGUAGE = re.compile(
    r"^\s*(?:import triton\.language as (\w+)"
    r"|from triton import language as (\w+)"
    r"|from triton\.language\S* import (?:\w+, )*(libdevice|math)\b)",
    re.MULTILINE,
)
CONSTEXPR_PARAMETER = re.compile(r"\b([A-Za-z_]\w*)\s*:\s*['\"]?(?:\w+\.)*constexpr\b")
POINTER_NAME = re.compile(r"(?:^|_)(?:ptrs?|pointers?|desc|descriptor)\d*$|^(?:ptr|p)_", re.I)


class TritonLexer(PythonLexer):  # type: ignore[misc]
    """Lexer for Python files with Triton kernels."""

    name = "Triton"
    aliases = ["triton"]  # noqa: RUF012 - as Pygments declares it
    filenames: list[str] = []  # noqa: RUF012 - chosen by its name: files end with .py
    mimetypes: list[str] = []  # noqa: RUF012
    url = "https://triton-lang.org"

    def get_tokens_unprocessed(
        self, text: str, stack: Any = ("root",)
    ) -> Iterator[tuple[int, Any, str]]:
        modules = {"language", *filter(None, (name for m in LANGUAGE.findall(text) for name in m))}
        constants = frozenset(CONSTEXPR_PARAMETER.findall(text))
        kinds: dict[str, Any] = {}
        # `head`: kind of the dotted name so far. `dotted`: True if the previous token was its dot.
        head, dotted = "", False
        for index, kind, value in super().get_tokens_unprocessed(text, stack):
            if kind is Name:
                if not dotted:
                    if value not in kinds:
                        kinds[value] = _kind_of_name(value, constants)
                    kind = kinds[value]
                    head = "language" if value in modules else "other"
                elif head == "language":
                    if value not in SUBMODULES:
                        kind, head = KINDS.get(value, COMPUTE), "other"
                elif head == "decorator":
                    kind = Name.Decorator
                elif value in modules:
                    head = "language"
                dotted = False
            elif kind is Operator and value == "." and head:
                dotted = True
            else:
                head, dotted = ("decorator" if kind is Name.Decorator else ""), False
            yield index, kind, value


def _kind_of_name(name: str, constants: frozenset[str]) -> Any:
    if name in constants:
        return CONSTEXPR
    if "mask" in name.lower():
        return MASK
    return POINTER if POINTER_NAME.search(name) else Name


LEXER = TritonLexer(stripnl=False, ensurenl=True)


def is_readable(text: str) -> bool:
    """Return True if the lexer reads the text in bounded time, about a second at most."""
    return len(text) <= LONGEST and BLANKS.search(text) is None
