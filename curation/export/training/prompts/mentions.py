"""Operations that a phrasing must mention, read from the Python side of a pair."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from curation.similarity.operation_names import MODULES
from curation.similarity.operations import operation_chain

ATTENTION = r"attention|attends"
LOSS = r"loss|entropy|divergence|likelihood"
NORM = r"normaliz|\bnorm\b|instance norm|unit length"


@dataclass(frozen=True, slots=True)
class Mention:
    """An operation by its noun, and a pattern of the words that mention it.

    The pattern has the operation's own names, and those of operations that contain it: attention
    contains a softmax.
    """

    noun: str
    words: str

    def is_in(self, text: str) -> bool:
        return re.search(self.words, text, re.IGNORECASE) is not None


_SOFTMAX = Mention(
    "a softmax", rf"soft-?max|softmin|probabilit|routing|expert|pooling|{ATTENTION}|{LOSS}"
)
_PRODUCT = Mention(
    "a matrix product",
    r"product|linear|matmul|convol"
    r"|multipl\w+ (?:two|each|a (?:\S+ )?(?:matrix|vector)|\S+ matrices|the transpose)"
    rf"|projection|distance|(?:quadratic|Laplace|Gaussian) kernel|low-rank|feed-forward|scores"
    rf"|squeeze|@|similarit|{ATTENTION}",
)
_SORT = Mention("a sort", r"sort|largest|smallest|median|smaller|rank|\btop")
_SCAN = Mention(
    "a running total", r"cumulative|running|earlier|later|prefix|so far|geometric|recurrence|decay"
)
_INDEX = Mention("the index of an extreme", r"ind(?:ex|ices)|place|position")
_CONVOLUTION = Mention("a convolution", r"convol|filter")
_GATHER = Mention(
    "a gather by index", rf"gather|look up|embedding|rows of a table|index|pages|{LOSS}"
)
_SCATTER = Mention("a scatter by index", r"scatter|index|segment|group")
_MASK = Mention("a mask", rf"mask|causal|triang|diagonal|window|unmasked|where|{ATTENTION}|{LOSS}")
_POOL = Mention("pooling", r"pool|window")


def _loss(noun: str) -> Mention:
    return Mention(noun, LOSS)


def _activation(name: str, words: str = "") -> Mention:
    return Mention(name, rf"\b{words or re.escape(name)}\b")


REQUIRED: dict[str, Mention] = {
    **dict.fromkeys(("softmax", "log_softmax"), _SOFTMAX),
    **dict.fromkeys(("matmul", "linear", "addmm", "baddbmm", "mv", "dot", "outer"), _PRODUCT),
    "einsum": Mention("a tensor contraction", f"contraction|{_PRODUCT.words}"),
    "scaled_dot_product_attention": Mention("attention", ATTENTION),
    **dict.fromkeys(("sort", "argsort", "topk", "median", "kthvalue"), _SORT),
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"), _SCAN),
    **dict.fromkeys(("argmax", "argmin"), _INDEX),
    **dict.fromkeys(
        ("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"), _CONVOLUTION
    ),
    **dict.fromkeys(("gather", "embedding", "index_select", "take_along_dim"), _GATHER),
    **dict.fromkeys(("index_add", "scatter_add", "scatter", "scatter_reduce"), _SCATTER),
    **dict.fromkeys(("tril", "triu", "masked_fill"), _MASK),
    "layer_norm": Mention("layer normalization", NORM),
    "group_norm": Mention("group normalization", NORM),
    "batch_norm": Mention("batch normalization", NORM),
    "instance_norm": Mention("instance normalization", NORM),
    "rms_norm": Mention("RMS normalization", NORM),
    **dict.fromkeys(("avg_pool1d", "avg_pool2d", "max_pool1d", "max_pool2d"), _POOL),
    "cross_entropy": _loss("a cross entropy loss"),
    "nll_loss": _loss("a negative log-likelihood loss"),
    "kl_div": _loss("a Kullback-Leibler divergence"),
    "mse_loss": _loss("a mean squared error loss"),
    "huber_loss": _loss("a Huber loss"),
    "smooth_l1_loss": _loss("a smooth L1 loss"),
    "binary_cross_entropy_with_logits": _loss("a binary cross entropy loss"),
    "logsumexp": Mention("a log-sum-exp", rf"log-?sum|logarithm|softmax|{LOSS}"),
    "logaddexp": Mention("a log-sum-exp", r"log-?sum|log-?add|softplus|log\(exp"),
    "dropout": Mention("dropout", r"dropout|probability"),
    "gelu": _activation("GELU", r"(?:GELU|GEGLU)"),
    "silu": _activation("SiLU", r"(?:SiLU|swish|SwiGLU|feed-forward)"),
    "mish": _activation("Mish"),
    "relu": _activation("ReLU", r"(?:(?:squared )?ReLU|squeeze|hinge|loss|or zero|positive)"),
    "relu6": _activation("ReLU6"),
    "celu": _activation("CELU"),
    "selu": _activation("SELU"),
    "elu": _activation("ELU"),
    "leaky_relu": _activation("leaky ReLU"),
    "softplus": _activation("softplus", r"(?:soft-?plus|loss|entropy|Mish)"),
    "softsign": _activation("softsign"),
    "softshrink": _activation("soft shrinkage"),
    "hardshrink": _activation("hard shrinkage"),
    "hardswish": _activation("the hard swish", r"hard[ -]?swish"),
    "hardsigmoid": _activation("the hard sigmoid", r"hard[ -]?sigmoid"),
    "hardtanh": _activation("the hard tanh", r"hard[ -]?tanh|clamp"),
    "tanhshrink": _activation("tanhshrink"),
    "logsigmoid": _activation("the log-sigmoid", r"log-? ?sigmoid|loss"),
    "sigmoid": _activation(
        "the sigmoid", r"(?:sigmoid|quick GELU|SiLU|swish|gat\w+|loss|squeeze|logistic)"
    ),
    "tanh": _activation(
        "tanh", r"(?:tanh\w*|GELU|GEGLU|Mish|squashed|cap\w* softly|softly capped)"
    ),
    "asinh": _activation("the inverse hyperbolic sine", r"inverse hyperbolic sine|asinh"),
    "erf": _activation("the error function", r"error function|erf|GELU"),
}  # fmt: skip


# Operations that a description may leave out, because a reader infers them. They are named if the
# description names no operation at all.
MINOR: dict[str, str] = {
    "exp": "an exponential", "log": "a logarithm", "sqrt": "a square root",
    "rsqrt": "an inverse square root", "square": "a square", "pow": "a power",
    "abs": "an absolute value", "clamp": "a clamp", "sin": "a sine", "cos": "a cosine",
    "sum": "a sum", "mean": "a mean", "amax": "a maximum", "max": "a maximum",
    "amin": "a minimum", "min": "a minimum", "var": "a variance", "div": "a quotient",
    "mul": "a multiplication", "add": "an addition", "sub": "a difference",
    "cat": "a concatenation", "rearrange": "a rearrangement", "chunk": "a split into parts",
    "where": "a selection",
}  # fmt: skip
MOST_NAMED = 5


def operation_nouns(python_code: str, entry_point: str) -> list[str]:
    """Return the nouns of the first operations of a reference, main ones first."""
    names = _names(python_code, entry_point)
    main = [REQUIRED[name].noun for name in names if name in REQUIRED]
    minor = [MINOR[name] for name in names if name in MINOR]
    return list(dict.fromkeys([*main, *minor]))[:MOST_NAMED]


def required_mentions(python_code: str, entry_point: str) -> tuple[Mention, ...]:
    """Return the main operations of the reference in order, each once."""
    names = _names(python_code, entry_point)
    return tuple(dict.fromkeys(REQUIRED[name] for name in names if name in REQUIRED))


@lru_cache(maxsize=64)
def _names(python_code: str, entry_point: str) -> Sequence[str]:
    chain = operation_chain(python_code, entry_point)
    known = any(name in REQUIRED or name in MINOR for name in chain)
    return chain if known else _called(python_code)


def missing_mentions(mentions: Sequence[Mention], text: str) -> list[Mention]:
    return [mention for mention in mentions if not mention.is_in(text)]


def _called(python_code: str) -> list[str]:
    """Return the functions and modules that a text calls, for a text that is not followed."""
    try:
        tree = ast.parse(python_code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            names.append(MODULES.get(name, name.lower()))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            names.append("matmul")
    return names
