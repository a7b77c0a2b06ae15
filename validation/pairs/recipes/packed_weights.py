"""Formats of packed weights: dequantization in PyTorch, and random values for a test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

NAMES = {
    "int8": "w8a16", "int4": "w4a16", "int32": "gptq", "nf4": "nf4", "mxfp4": "mxfp4",
    "nvfp4": "nvfp4",
}  # fmt: skip
PHRASES = {
    "int8": "int8 weights",
    "int4": "int4 weights (two to a byte)",
    "int32": "int4 weights (eight to an int32)",
    "nf4": "NF4 weights (two to a byte)",
    "mxfp4": "MXFP4 weights (two to a byte)",
    "nvfp4": "NVFP4 weights (two to a byte)",
}
TAGS = {"int32": "int4"}
PER_WORD = {"int8": 1, "int32": 8}
E2M1 = "0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0"


@dataclass(frozen=True, slots=True)
class Weights:
    """A format and its memory layout. In `nk`, each output is a row, and in `kn` a column."""

    stored: str
    group: int
    """Number of weights that share a scale, or 0 if all weights of an output share one."""
    zero: bool = False
    layout: str = "nk"

    @property
    def name(self) -> str:
        """Name of the argument that contains the weights."""
        return "qweight" if self.stored == "int8" else "packed"

    @property
    def scales(self) -> str:
        return "absmax" if self.stored == "nf4" else "scales"

    @property
    def per_word(self) -> int:
        return PER_WORD.get(self.stored, 2)

    @property
    def arguments(self) -> tuple[str, ...]:
        further = {"nf4": ("code",), "nvfp4": ("global_scale",)}.get(self.stored, ())
        return (self.name, self.scales, *(("zeros",) if self.zero else ()), *further)

    @property
    def phrase(self) -> str:
        each = f"each group of {self.group} inputs" if self.group else "each output"
        scale = {
            "mxfp4": f"an exponent for {each}",
            "nf4": f"the largest magnitude of {each}",
        }.get(self.stored, f"a scale{' and a zero point' * self.zero} for {each}")
        ending = " and one for all" if self.stored == "nvfp4" else ""
        return f"{PHRASES[self.stored]} with {scale}{ending}"

    @property
    def tags(self) -> tuple[str, ...]:
        grouping = "group-scales" if self.group else "channel-scales"
        return ("weight-only", TAGS.get(self.stored, self.stored), grouping)

    def entry_point(self, *parts: str) -> str:
        return "_".join(filter(None, (NAMES[self.stored], *parts)))

    def in_torch(self, target: str, dtype: str) -> Iterator[str]:
        """Yield PyTorch's lines that dequantize the weights into `target`.

        dtype: expression of the result's dtype, for formats whose scales have another dtype.
        """
        k = 1 if self.layout == "nk" else 0
        if self.stored == "int32":
            yield "shifts = torch.arange(0, 32, 4, device=packed.device)"
            yield "levels = ((packed[:, None, :] >> shifts[:, None]) & 15).flatten(0, 1)"
        elif self.stored != "int8":
            pair = "packed & 15, packed >> 4"
            yield f"levels = torch.stack([{pair}], dim={k + 1}).flatten({k}, {k + 1})"
        spread = {
            name: f"{name}.repeat_interleave({self.group}, dim={k})"
            if self.group
            else f"{name}[:, None]" * (k == 1) + name * (k == 0)
            for name in (self.scales, "zeros")
        }
        if self.stored in ("mxfp4", "nvfp4"):
            yield f"magnitudes = torch.tensor([{E2M1}], device=packed.device)"
            yield "values = torch.cat([magnitudes, -magnitudes])[levels.long()]"
        if self.stored == "nf4":
            yield f"{target} = (code[levels.long()] * {spread['absmax']}).to({dtype})"
        elif self.stored == "mxfp4":
            yield f"scales = torch.exp2(scales.float() - 127).repeat_interleave(32, dim={k})"
            yield f"{target} = (values * scales).to({dtype})"
        elif self.stored == "nvfp4":
            yield f"scales = scales.float().repeat_interleave(16, dim={k}) * global_scale"
            yield f"{target} = (values * scales).to({dtype})"
        else:
            levels = f"{'qweight' if self.stored == 'int8' else 'levels'}.to(scales.dtype)"
            if self.zero:
                if spread["zeros"] != "zeros":
                    yield f"zeros = {spread['zeros']}"
                yield f"{target} = ({levels} - zeros) * {spread['scales']}"
            elif self.stored == "int8":
                yield f"{target} = {levels} * {spread['scales']}"
            else:
                yield f"{target} = ({levels} - 8) * {spread['scales']}"

    def drawn(self) -> Iterator[str]:
        """Yield the test's lines that create random arguments of the sizes `n` and `k`."""
        nk = self.layout == "nk"
        inner = "k" if self.per_word == 1 else f"k // {self.per_word}"
        shape = f"(n, {inner})" if nk else f"({inner}, n)"
        bounds = {"int8": "-127, 128", "int32": "-(2**31), 2**31"}.get(self.stored, "0, 256")
        kind = {"int8": "int8", "int32": "int32"}.get(self.stored, "uint8")
        yield (
            f"{self.name} = torch.randint({bounds}, {shape}, generator=generator).to(torch.{kind})"
        )
        groups = f"k // {self.group}"
        scales = (f"(n, {groups})" if nk else f"({groups}, n)") if self.group else "(n,)"
        if self.stored == "nf4":
            yield f"absmax = torch.rand({scales}, generator=generator) + 0.5"
            yield "# The code book is sorted, as that of the normal distribution's quantiles."
            yield "code = torch.randn((16,), generator=generator).sort().values"
        elif self.stored == "mxfp4":
            yield (
                f"scales = torch.randint(122, 130, {scales}, generator=generator).to(torch.uint8)"
            )
        elif self.stored == "nvfp4":
            yield f"scales = torch.rand({scales}, generator=generator) + 0.5"
            yield "scales = scales.to(torch.float8_e4m3fn)"
            yield "global_scale = torch.rand((1,), generator=generator) + 0.5"
        else:
            size = "127" if self.stored == "int8" else "7"
            yield f"scales = ((torch.rand({scales}, generator=generator) + 0.5) / {size}).to(dtype)"
        if self.zero:
            yield f"zeros = torch.randint(0, 16, {scales}, generator=generator).to(dtype)"

    def handed(self) -> tuple[str, ...]:
        """Return the arguments that the test's call passes. A lookup table has only one layout."""
        plain = ("code", "global_scale") if self.stored != "nvfp4" else ("scales", "global_scale")
        return tuple(
            f"{name}.to(device)" if name in plain else f"laid_out({name})"
            for name in self.arguments
        )


INTEGERS = tuple(
    Weights(stored, group, zero, layout)
    for stored, group, zero, layout in product(
        ("int4", "int8", "int32"), (32, 64, 128, 0), (False, True), ("nk", "kn")
    )
    if not (zero if stored == "int8" else stored == "int32" and layout == "nk")
)
FLOATS = (
    Weights("nf4", 64), Weights("nf4", 128), Weights("nf4", 64, layout="kn"),
    Weights("mxfp4", 32), Weights("mxfp4", 32, layout="kn"),
)  # fmt: skip
# Floats are listed twice, because they would be rare among the many variants of integers.
FORMATS = (*INTEGERS, *FLOATS, *FLOATS)
STORED = (*FORMATS, Weights("nvfp4", 16), Weights("nvfp4", 16, layout="kn"))
