from __future__ import annotations

import ast
import time
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.classify import classify
from ingest.classify.operation import Operation
from tests.ingest.classify.sources import (
    ADD,
    ATTENTION,
    CROSS_ENTROPY,
    EMPTY,
    GATHER,
    HEAD,
    KINDS,
    MATMUL,
    SOFTMAX,
)


@pytest.mark.parametrize(("kind", "text"), KINDS.items())
def test_each_kind_is_known_by_what_it_does(kind: str, text: str) -> None:
    assert classify("k", text).operation_type == kind


def test_every_kind_of_the_vocabulary_has_its_example() -> None:
    assert set(KINDS) == set(get_args(Operation))


@pytest.mark.parametrize(("kind", "text"), KINDS.items())
def test_every_verdict_shows_its_line(kind: str, text: str) -> None:
    found = classify("k", text)

    says = {evidence.says for evidence in found.evidence}
    assert says >= {found.difficulty, *found.tags} | ({kind} - {"other"})
    for evidence in found.evidence:
        assert 1 <= evidence.line <= text.count("\n")


@pytest.mark.parametrize(
    "imports",
    [
        "import triton\nfrom triton import language as tl\n",
        "import triton\nimport triton.language as T\n",
        "import triton as t\n",
        "import triton\nfrom triton.language import load, store, exp, max, sum, arange\n",
    ],
)
def test_whatever_triton_is_called(imports: str) -> None:
    body = SOFTMAX.split("\n\n\n")[1]
    if " as T" in imports:
        body = body.replace("tl.", "T.")
    elif "as t\n" in imports:
        body = body.replace("tl.", "t.language.").replace("@triton", "@t")
    elif "import load" in imports:
        body = body.replace("tl.", "").replace("constexpr", "int")

    assert classify("k", imports + "\n\n" + body).operation_type == "softmax"


@pytest.mark.parametrize("name", ["softmax_kernel", "_attn_fwd", "conv2d", "layer_norm", "sort"])
def test_a_name_alone_decides_nothing(name: str) -> None:
    text = ADD.replace("def k(", f"def {name}(")

    assert classify(name, text).operation_type == "element-wise"


def test_a_running_mean_with_a_momentum_is_no_optimizer() -> None:
    text = HEAD + (
        "def k(mean, batch_mean, momentum, B: tl.constexpr):\n"
        "    at = tl.arange(0, B)\n"
        "    new = (1 - momentum) * tl.load(mean + at) + momentum * tl.load(batch_mean + at)\n"
        "    tl.store(mean + at, new)\n"
    )

    assert classify("k", text).operation_type != "optimizer"


def test_what_a_helper_does_counts_for_the_kernel() -> None:
    helper = HEAD + "def helper(v):\n    return tl.sum(v, axis=0)\n\n\n"
    kernel = "@triton.jit\ndef k(x, out, B: tl.constexpr):\n    v = tl.load(x + tl.arange(0, B))\n"

    assert classify("k", helper + kernel + "    tl.store(out, helper(v))\n").operation_type == (
        "reduction"
    )


def test_tags_name_what_was_seen() -> None:
    text = (
        "import triton\nimport triton.language as tl\n"
        "@triton.autotune(configs=[], key=['n'])\n@triton.jit\n"
        "def k_bwd(x, dx, idx, n, NUM_SMS: tl.constexpr, IS_CAUSAL: tl.constexpr):\n"
        "    pid = tl.program_id(0)\n"
        "    for tile in range(pid, n, NUM_SMS):\n"
        "        i = tl.load(idx + tile)\n"
        "        tl.atomic_add(dx + i, tl.load(x + i).to(tl.bfloat16))\n"
        "        tl.store(dx + i, 1.0)\n"
    )

    assert set(classify("k_bwd", text).tags) >= {
        *("autotuned", "atomics", "persistent", "indirect", "causal", "backward", "bf16"),
    }


def test_difficulty_grows_with_what_there_is_to_get_right() -> None:
    levels = [classify("k", text).difficulty for text in (EMPTY, ADD, MATMUL, ATTENTION)]

    assert levels == ["easy", "easy", "medium", "medium"]
    many = ATTENTION + "    tl.atomic_add(out, 1)\n" + "    z = tl.cumsum(at, 0)\n" * 60
    assert classify("k", many).difficulty == "hard"


def test_a_function_alone_is_read_as_well_as_its_unit() -> None:
    for kind, text in KINDS.items():
        alone = text.split("\n\n\n")[1]
        nested = "\n".join("    " + line for line in alone.splitlines())

        assert classify("k", alone).operation_type == kind
        assert classify("outer.<locals>.k", nested).operation_type == kind


@given(text=st.text(st.characters(codec="utf-8") | st.sampled_from("()[]:=\n .tldef@")))
@settings(max_examples=150)
def test_any_text_has_a_kind(text: str) -> None:
    assert classify("k", text).operation_type in get_args(Operation)


@given(data=st.data())
@settings(max_examples=80)
def test_a_mutilated_kernel_still_has_a_kind(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([CROSS_ENTROPY, GATHER, ATTENTION]))
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 40))

    classify("k", text[:start] + text[start + length :])


def test_the_standard_library_is_classified_in_bounded_time() -> None:
    for source in sorted(Path(ast.__file__).parent.glob("*.py"))[:60]:
        text = source.read_text("utf-8", "replace")
        start = time.monotonic()

        classify("main", text)

        assert time.monotonic() - start < 0.5 + len(text) / 20_000
