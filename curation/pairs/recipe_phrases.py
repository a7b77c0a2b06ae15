"""Rules that convert the docstrings of recipes into imperative sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence


def steps(chain: str) -> list[str]:
    """Return the operations of a chain as verb phrases: "take the sine", "add `bias`"."""
    return [_step(phrase, not number) for number, phrase in enumerate(chain.split(", then "))]


def _step(phrase: str, first: bool) -> str:
    it = "the input" if first else "the result"
    for pattern, replacement in PHRASES:
        changed, count = re.subn(f"^{pattern}", replacement, phrase)
        if count:
            return _quoted(changed.replace("{it}", it))
    return f"apply {_quoted(phrase)}"


def _quoted(phrase: str) -> str:
    """Put the names of further tensors in backticks."""
    return re.sub(r"\b(bias|residual|gate|other|weight_map)\b", r"`\1`", phrase)


# Rules for a phrase; the first one that matches its start is applied.
PHRASES: tuple[tuple[str, str], ...] = (
    (r"multiplying by (\S+) and adding (\S+)", r"multiply by \1 and add \2"),
    (r"multiplying the low bits by those of", "multiply the low ten bits by those of"),
    (r"multiplying by", "multiply by"),
    (r"adding (\S+) over (.+)", r"add \1 divided by \2"),
    (r"adding", "add"),
    (r"subtracting", "subtract"),
    (r"dividing by one plus the size of", "divide by one plus the absolute value of"),
    (r"dividing by", "divide by"),
    (r"averaging with", "average with"),
    (r"gating by", "multiply by"),
    (r"mixing in the sine of (\S+)", r"multiply by the cosine of \1 and add the sine of \1"),
    (r"blending with", "blend with"),
    (r"choosing (\S+) wherever", r"choose \1 where"),
    (r"clamping between (\S+) and (\S+), whichever is larger",
     r"clamp between \1 and \2 in either order"),
    (r"clamping to", "clamp to"),
    (r"scaling to", "scale to"),
    (r"the larger of it and", "take the maximum of {it} and"),
    (r"the smaller of it and", "take the minimum of {it} and"),
    (r"the median of it, (\S+) and", r"take the median of {it}, \1 and"),
    (r"the hypotenuse with (\S+)", r"take the square root of one plus the squares of {it} and \1"),
    (r"the length of the vector with (\S+) and (\S+)",
     r"take the square root of one plus the squares of {it}, \1 and \2"),
    (r"the distance from", "take the absolute difference from"),
    (r"the logarithm of the sum of exponentials with", "take the log-sum-exp with"),
    (r"a third of the way to", "interpolate one third of the way to"),
    (r"one plus the product with (\S+)", r"multiply by \1 and add one"),
    (r"half the product of (.+) on top", r"add half the product of \1"),
    (r"zero unless positive is (\S+)", r"set to zero where \1 is not positive"),
    (r"the bits in common with", "take the bitwise AND with"),
    (r"the bits that differ from", "take the bitwise XOR with"),
    (r"the low six bits", "keep the low six bits"),
    (r"the lowest bit", "keep the lowest bit"),
    (r"bit 4 set", "set bit 4"),
    (r"bits flipped by 85", "take the bitwise XOR with 85"),
    (r"all bits flipped", "invert all bits"),
    (r"a shift to the left by", "shift the low 16 bits left by"),
    (r"a shift to the right by", "shift right by"),
    (r"the Gray code", "take the Gray code of the low ten bits"),
    (r"how many of the low eight bits are set", "count the set bits of the low eight"),
    (r"the tanh form of GELU", "apply the tanh approximation of GELU"),
    (r"the soft threshold at", "apply soft shrinkage with threshold"),
    (r"the hard threshold at", "apply hard shrinkage with threshold"),
    (r"the negative$", "negate"),
    (r"the square$", "square"),
    (r"a bounded cube", "compute x³ / (1 + x²)"),
    (r"a Gaussian bump", "apply the Gaussian exp(-x²)"),
    (r"exponential decay", "compute exp(-|x|)"),
    (r"log\(1 \+ \|x\|\) with its sign", "take log(1 + |x|) with the sign of x"),
    (r"1 / \(1 \+ \|x\|\)", "compute 1 / (1 + |x|)"),
    (r"asinh", "take the inverse hyperbolic sine"),
    (r"an affine map", "apply the affine map 1.5x - 0.25"),
    (r"a cubic by Horner's rule", "evaluate a cubic polynomial"),
    (r"(layer|RMS) normalization", r"normalize the row (\1 normalization)"),
    (r"softmax with one more in the denominator",
     "apply softmax with one added to the denominator"),
    (r"(the (?:squared difference|smooth L1 distance) from|"
     r"the (?:absolute value|signed square root|inverse square root|sine|cosine|"
     r"fractional part)\b)",
     r"take \1"),
)  # fmt: skip


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])}, then {parts[-1]}"


def _elements(over: str, chain: str) -> str:
    """Describe elementwise operations; a single one without "for each", if it has such a form."""
    phrases = steps(chain)
    if len(phrases) == 1:
        for pattern, replacement in SINGLE:
            match = re.fullmatch(pattern, phrases[0])
            if match:
                return match.expand(replacement).replace("{over}", over)
    return f"for {over}, {_joined(phrases)}"


SINGLE = (
    (r"(apply .+)", r"\1 to {over}"),
    (r"(take the (?!.*(?:with|input|from)).+)", r"\1 of {over}"),
    (r"(negate|square)", r"\1 {over}"),
    (r"(add `\w+`)", r"\1 to {over}"),
    (r"(subtract `\w+`)", r"\1 from {over}"),
    (r"(multiply|divide|clamp) (by|to) (?!.* and add)(.+)", r"\1 {over} \2 \3"),
)


def _then(head: str, chain: str | None) -> str:
    """Join a first operation and a following chain."""
    # In a later chain, "the input" would be the wrong operand.
    rest = [_step(phrase, False) for phrase in chain.split(", then ")] if chain else []
    return _joined([head, *rest])


def _first(chain: str | None, last: str) -> str:
    """Join a chain and a following operation."""
    return _joined([*(steps(chain) if chain else []), last])


OF = r"(?:,? of the results of: (?P<chain>.+))?"
THEN = r"(?:, then (?P<chain>.+))?"


def _take(reduction: str) -> str:
    if reduction.startswith("how many are positive"):
        return "count softly how many are positive"
    return f"take {reduction}"


def _loss(match: re.Match[str]) -> str:
    loss, over = match["loss"], match["over"]
    against = "" if "target" in loss else " against the target"
    ending = {
        "averaged": "average it",
        "added up": "add it up",
        "averaged along each row": "average it along each row",
    }[over]
    parts = [*(steps(match["chain"]) if match["chain"] else []), f"compute the {loss}{against}"]
    return f"{', '.join(parts)} and {ending}"


SORTS = {
    "Each row in order": "sort each row",
    "Each row in descending order": "sort each row in descending order",
    "How many of its row each element exceeds": "count the smaller elements of each row",
    "The lower median of each row": "take the lower median of each row",
}
RANDOM = {
    "Dropout with a seed": "apply dropout with a seed",
    "Seeded noise on top": "add seeded noise",
    "Seeded random scaling": "scale by seeded random factors",
    "Seeded random signs": "flip signs by seeded random numbers",
}
MOVES = {
    "The transpose of a matrix": "transpose a matrix",
    "A matrix with its rows in reverse": "reverse the rows of a matrix",
    "A matrix with its columns in reverse": "reverse the columns of a matrix",
    "A matrix with its columns rolled by 3": "roll the columns of a matrix by 3",
    "A matrix with its rows rolled by 2": "roll the rows of a matrix by 2",
    "The lower triangle of a matrix": "keep the lower triangle of a matrix",
    "The strictly upper triangle of a matrix": "keep the strictly upper triangle of a matrix",
    "The three middle diagonals of a matrix": "keep the three middle diagonals of a matrix",
    "A matrix with a border of zeros, 2 wide": "pad a matrix with a border of two zeros",
    "A matrix shifted right by 1, zero coming in": "shift a matrix right by one column of zeros",
    "Every second row and column of a matrix": "take every second row and column of a matrix",
    "A matrix with every column twice": "repeat each column of a matrix twice",
    "A matrix beside its mirror image": "concatenate a matrix with its mirror image",
    "A matrix above its negative": "stack a matrix on top of its negative",
}  # fmt: skip
OVER = {
    "row": "for each row of a matrix",
    "column": "for each column of a matrix",
    "vector": "over a whole vector",
    "pair of outer and inner index, along the middle axis": "along the middle axis of a 3D tensor",
}


def _product(match: re.Match[str]) -> str:
    inputs = f" of {match['inputs']}" if match["inputs"] else ""
    return _then(f"compute the matrix product `{match['product']}`{inputs}", match["chain"])


def _one_of(names: Mapping[str, str]) -> str:
    return "|".join(re.escape(name) for name in names)


def _norm(match: re.Match[str]) -> str:
    chain = match["chain"].removesuffix(", in blocks of the row")
    parts = []
    for number, phrase in enumerate(chain.split(", then ")):
        plain, scaled = re.sub(r" with (a weight|weight and shift)$", "", phrase), ""
        if plain != phrase:
            both = phrase.endswith("weight and shift")
            scaled = ", multiply by `weight` and add `shift`" if both else ", multiply by `weight`"
        parts.append(_step(plain, not number) + scaled)
    return f"for each row of a matrix, {_joined(parts)}"


# A docstring's pattern without its full stop, and the resulting sentence.
RULES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"Each element of a (?P<of>vector|matrix|cube): (?P<chain>.+)",
     lambda m: _elements(f"each element of a {m['of'].replace('cube', '3D tensor')}", m["chain"])),
    (r"Each of a vector of whole numbers: (?P<chain>.+)",
     lambda m: _elements("each element of an integer vector", m["chain"])),
    (r"Each pair of two vectors' elements: (?P<chain>.+)",
     lambda m: f"for each pair of elements of two vectors, {_joined(steps(m['chain']))}"),
    (r"For each row, (?P<both>the value and )?the place of the (?P<which>largest|smallest)" + OF,
     lambda m: "for each row of a matrix, "
     + _first(m["chain"], f"take {m['both'] or ''}the index of the {m['which']} element")),
    (r"For each segment of rows, (?P<take>the [^:]+?)" + OF,
     lambda m: "for each segment of rows, "
     + _first(m["chain"], f"take {m['take']}".replace(", at least zero", " or zero"))),
    (r"For each row of a and each row of b, (?P<take>the .+?)" + THEN,
     lambda m: "for each row of `a` and each row of `b`, "
     + _then(f"compute {m['take']}", m["chain"])),
    (rf"For each (?P<over>{_one_of(OVER)}), (?P<take>.+?){OF}",
     lambda m: f"{OVER[m['over']]}, {_first(m['chain'], _take(m['take']))}"),
    (r"Along each (?P<over>row|column), (?P<take>.+?) of windows of (?P<size>\d+) in steps of "
     r"(?P<step>\d+)" + OF,
     lambda m: f"along each {m['over']} of a matrix, " + _first(
         m["chain"], f"take {m['take']} of windows of {m['size']} with stride {m['step']}")),
    (r"Along each (?P<over>row|column), (?P<take>.+?)" + OF,
     lambda m: f"along each {m['over']} of a matrix, " + _first(
         m["chain"],
         f"take {m['take']}"
         .replace("the sum from here on", "the sum of this and all later elements")
         .replace("the sum of all before", "the sum of all earlier elements"))),
    (r"Each row: (?P<chain>.+)", _norm),
    (r"The (?P<loss>[^:]+?), (?P<over>averaged along each row|averaged|added up), "
     r"(?:of the results of: (?P<chain>.+)|of a prediction)", _loss),
    (r"A gated linear unit: one half times this of the other: (?P<act>.+?)" + THEN,
     lambda m: _then(
         f"multiply one half of the features by {_noun(m['act'])} of the other half", m["chain"])),
    (r"One step of (?P<rest>.+)",
     lambda m: f"take one step of {m['rest']}".replace(", gradients", ", with gradients")
     .replace(", kept positive", ", and keep the parameters positive")
     .replace(", shrunk towards zero", ", and shrink the parameters toward zero")),
    (r"Each row to int8 with a scale of its own, (?P<scheme>[\w ]+?)(?:, after (?P<chain>.+))?",
     lambda m: "for each row of a matrix, " + _first(
         m["chain"],
         f"quantize to int8 with a scale per row ({m['scheme'].replace('four bit', '4-bit')})")),
    (r"From (?P<stored>\w+) with one scale a (?P<of>row|column|group)(?P<size> of \d+)?"
     r"(?P<zero> and zero point)?" + THEN,
     lambda m: _then(
         f"dequantize from {m['stored']} with one scale per {m['of']}{m['size'] or ''}"
         f"{' and a zero point' if m['zero'] else ''}", m["chain"])),
    (r"The product (?P<product>a(?:\.T)? @ b(?:\.T)?)(?: of (?P<inputs>\w+ with .+?))?"
     r"(?:, its inner dimension shared by \d+ programs)?" + THEN, _product),
    (r"A product of matrices for each of a batch" + THEN,
     lambda m: _then("multiply two batches of matrices", m["chain"])),
    (r"A (?P<left>matrix|vector) times a (?P<right>matrix|vector)" + THEN,
     lambda m: _then(f"multiply a {m['left']} by a {m['right']}", m["chain"])),
    (rf"(?P<kind>{_one_of(RANDOM)}), by a hash of the position{OF}",
     lambda m: _first(m["chain"], f"{RANDOM[m['kind']]} from a hash of the position")),
    (r"Rotate pairs of features by their position, (?P<order>\w+), (?P<style>\w+) paired" + THEN,
     lambda m: _then(
         "rotate pairs of features by their position "
         f"(rotary embedding, {m['style']} paired, {m['order']} direction)", m["chain"])),
    (r"Take the rows of a table that an index names" + THEN,
     lambda m: _then("gather the rows of a table that an index selects", m["chain"])),
    (r"Add rows to the places that an index names(?: after this: (?P<chain>.+))?",
     lambda m: _first(m["chain"], "add rows at the positions that an index selects")),
    (rf"(?P<move>{_one_of(MOVES)}){THEN}", lambda m: _then(MOVES[m["move"]], m["chain"])),
    (rf"(?P<sort>{_one_of(SORTS)}){OF}", lambda m: _first(m["chain"], SORTS[m["sort"]])),
    (r"The (?P<count>\d+) largest of each row, or all of a shorter one" + OF,
     lambda m: _first(m["chain"], f"take the {m['count']} largest elements of each row")),
    (r"Convolve each channel with its own (?P<taps>\d+) taps(?P<causal>, looking back only)?"
     + THEN,
     lambda m: _then(
         f"convolve each channel with its own filter of {m['taps']} taps"
         f"{' (causal)' if m['causal'] else ''}", m["chain"])),
    (r"A part of (?P<model>[^:]+): (?P<operations>.+)",
     lambda m: f"compute a part of {m['model']}: {m['operations']}"),
)  # fmt: skip


def _noun(phrase: str) -> str:
    """Return "the SiLU" for "SiLU", "the clamping to [-1.5, 2]" for "clamping to [-1.5, 2]"."""
    return phrase if re.match(r"(?:the|a|an|1|log\(1) ", phrase) else f"the {phrase}"
