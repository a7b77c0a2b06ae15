from __future__ import annotations

import ast
import time
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.classify import classify
from ingest.classify.operation_signs import Operation
from ingest.classify.pairs import pair_operation
from tests.ingest.classify.sources import (
    ADD,
    ATTENTION,
    CROSS_ENTROPY,
    EMPTY,
    FRAME,
    GATHER,
    HEAD,
    KINDS,
    MATMUL,
    SOFTMAX,
)


@pytest.mark.parametrize(("kind", "text"), KINDS.items())
def test_each_operation_type_is_recognized_by_its_code(kind: str, text: str) -> None:
    assert classify("k", text).operation_type == kind


DROPOUT = (
    "\n@triton.jit\ndef dropped(v, n):\n    return tl.where(tl.rand(n, v) > 0.5, v, 0.0)\n"
    "\n@triton.jit\ndef relu(v):\n    return tl.maximum(v, 0.0)\n"
    "\n@triton.jit\ndef activated(v, n, drop):\n"
    "    v = relu(v)\n    return dropped(v, n) if drop else v\n"
)


@pytest.mark.parametrize(
    ("name", "stored", "kind"),
    [
        ("k", "dropped(tl.load(x + at), n)", "random"),
        ("k", "tl.rand(n, at) * relu(tl.load(x + at))", "random"),
        ("k", "activated(tl.load(x + at), n, True)", "element-wise"),
        ("k", "tl.load(x + at) * activated(tl.load(y + at), n, True)", "element-wise"),
        ("k", "dropped(relu(tl.load(x + at)), n)", "element-wise"),
        ("activated", "tl.load(x + at)", "element-wise"),
        ("dropped", "tl.load(x + at)", "random"),
    ],
)
def test_a_dropout_inside_an_activation_is_a_tag(name: str, stored: str, kind: str) -> None:
    text = f"{FRAME}    tl.store(out + at, {stored})\n{DROPOUT}"

    found = classify(name, text)

    assert found.operation_type == kind
    assert "random" in found.tags or stored == "tl.load(x + at)"


def test_every_operation_type_has_an_example() -> None:
    assert set(KINDS) == set(get_args(Operation))


@pytest.mark.parametrize(("kind", "text"), KINDS.items())
def test_every_classification_has_evidence_with_a_line(kind: str, text: str) -> None:
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
def test_a_kernel_is_classified_under_any_import_alias_of_triton(imports: str) -> None:
    body = SOFTMAX.split("\n\n\n")[1]
    if " as T" in imports:
        body = body.replace("tl.", "T.")
    elif "as t\n" in imports:
        body = body.replace("tl.", "t.language.").replace("@triton", "@t")
    elif "import load" in imports:
        body = body.replace("tl.", "").replace("constexpr", "int")

    assert classify("k", imports + "\n\n" + body).operation_type == "softmax"


@pytest.mark.parametrize("name", ["softmax_kernel", "_attn_fwd", "conv2d", "layer_norm", "sort"])
def test_a_kernel_name_alone_does_not_change_the_classification(name: str) -> None:
    text = ADD.replace("def k(", f"def {name}(")

    assert classify(name, text).operation_type == "element-wise"


HALVES = HEAD + (
    "def k(x, cos, sin, out, B: tl.constexpr):\n"
    "    at = tl.arange(0, B)\n"
    "    c, s = tl.load(cos + at), tl.load(sin + at)\n"
    "    a = tl.load(x + at)\n"
    "    b = tl.load(x + B + at)\n"
    "    tl.store(out + at, a * c - b * s)\n"
    "    tl.store(out + B + at, b * c + a * s)\n"
)


def test_a_rotary_embedding_is_classified_as_other_with_evidence() -> None:
    found = classify("k", HALVES)

    assert (found.operation_type, found.difficulty) == ("other", "medium")
    assert [e.rule for e in found.evidence if e.says == "other"] == ["pairs turned by an angle"]


def test_a_kernel_that_only_moves_values_is_classified_as_other() -> None:
    text = FRAME + "    v = tl.load(x + (n - 1 - at), mask=at < n)\n    tl.store(out + at, v)\n"

    assert classify("k", text).operation_type == "other"
    assert classify(
        "k", text.replace("    tl.store", "    v = v * 2\n    tl.store")
    ).operation_type == ("element-wise")


def test_a_matrix_product_with_an_attention_name_or_file_is_attention() -> None:
    assert classify("neighborhood_attention_av", MATMUL).operation_type == "attention"
    assert classify("k", MATMUL, "fused_attention launch").operation_type == "attention"
    assert classify("k", MATMUL, "mlp launch").operation_type == "matmul"


def test_the_logit_of_a_label_and_a_log_sum_exp_are_a_loss() -> None:
    text = CROSS_ENTROPY.replace("labels", "b").replace("loss", "c").replace("logits", "a")

    assert classify("k", text).operation_type == "loss"


def test_loading_a_sequence_offset_is_not_a_gather() -> None:
    text = FRAME.replace("y,", "cu_seqlens,") + (
        "    start = tl.load(cu_seqlens)\n    tl.store(out + at, tl.load(x + start + at) + 1)\n"
    )

    assert classify("k", text).operation_type == "element-wise"


@pytest.mark.parametrize(
    ("python", "kernels", "expected"),
    [
        ("F.cross_entropy(x, y)", ["reduction"], "loss"),
        ("x + y", ["element-wise", "gather-scatter"], "gather-scatter"),
        ("x.sum(-1)", ["element-wise", "normalization"], "normalization"),
        ("x.sum(-1)", ["element-wise"], "reduction"),
        ("x + y", ["element-wise"], "element-wise"),
        ("x + y", ["other"], "other"),
    ],
)
def test_the_python_side_of_a_pair_takes_precedence_over_its_kernels(
    python: str, kernels: list[str], expected: str
) -> None:
    assert pair_operation("run_k", f"def run_k(x, y):\n    return {python}\n", kernels) == expected


def test_a_running_mean_with_momentum_is_not_an_optimizer() -> None:
    text = HEAD + (
        "def k(mean, batch_mean, momentum, B: tl.constexpr):\n"
        "    at = tl.arange(0, B)\n"
        "    new = (1 - momentum) * tl.load(mean + at) + momentum * tl.load(batch_mean + at)\n"
        "    tl.store(mean + at, new)\n"
    )

    assert classify("k", text).operation_type != "optimizer"


def test_the_operations_of_a_helper_count_for_its_kernel() -> None:
    helper = HEAD + "def helper(v):\n    return tl.sum(v, axis=0)\n\n\n"
    kernel = "@triton.jit\ndef k(x, out, B: tl.constexpr):\n    v = tl.load(x + tl.arange(0, B))\n"

    assert classify("k", helper + kernel + "    tl.store(out, helper(v))\n").operation_type == (
        "reduction"
    )


def test_tags_name_the_detected_features() -> None:
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


def test_difficulty_grows_with_the_features_of_a_kernel() -> None:
    levels = [classify("k", text).difficulty for text in (EMPTY, ADD, MATMUL, ATTENTION)]

    assert levels == ["easy", "easy", "medium", "hard"]


def test_a_function_alone_is_classified_as_its_unit() -> None:
    for kind, text in KINDS.items():
        alone = text.split("\n\n\n")[1]
        nested = "\n".join("    " + line for line in alone.splitlines())

        assert classify("k", alone).operation_type == kind
        assert classify("outer.<locals>.k", nested).operation_type == kind


@given(text=st.text(st.characters(codec="utf-8") | st.sampled_from("()[]:=\n .tldef@")))
@settings(max_examples=150)
def test_any_text_gets_an_operation_type(text: str) -> None:
    assert classify("k", text).operation_type in get_args(Operation)


@given(data=st.data())
@settings(max_examples=80)
def test_a_mutilated_kernel_can_still_be_classified(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([CROSS_ENTROPY, GATHER, ATTENTION]))
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 40))

    classify("k", text[:start] + text[start + length :])


def test_the_standard_library_is_classified_in_bounded_time() -> None:
    for source in sorted(Path(ast.__file__).parent.glob("*.py"))[:60]:
        text = source.read_text("utf-8", "replace")
        start = time.process_time()

        classify("main", text)

        assert time.process_time() - start < 0.5 + len(text) / 20_000


JAX = (
    "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n"
    "from jax.experimental import pallas as pl\n"
    "from jax.experimental.pallas import triton as plgpu\n"
)
PALLAS = {
    "element-wise": "def k(x_ref, o_ref):\n    o_ref[...] = x_ref[...] * 2\n",
    "matmul": "def k(x_ref, y_ref, o_ref):\n    o_ref[...] = x_ref[...] @ y_ref[...]\n",
    "softmax": (
        "def k(x_ref, o_ref):\n    x = plgpu.load(x_ref)\n    e = jnp.exp(x - jnp.max(x))\n"
        "    plgpu.store(o_ref, e / jnp.sum(e))\n"
    ),
    "normalization": (
        "def k(x_ref, o_ref, *, eps):\n    x = x_ref[...]\n    var = jnp.sum(x * x) / 8\n"
        "    o_ref[...] = x * lax.rsqrt(var + eps)\n"
    ),
    "reduction": "def k(x_ref, o_ref):\n    o_ref[0] = jnp.sum(x_ref[...])\n",
    "scan": "def k(x_ref, o_ref):\n    o_ref[...] = jnp.cumsum(x_ref[...])\n",
    "other": "def k(x_ref, o_ref):\n    pass\n",
}


@pytest.mark.parametrize("kind", PALLAS)
def test_a_pallas_kernel_gets_the_same_operation_types(kind: str) -> None:
    assert classify("k", JAX + PALLAS[kind]).operation_type == kind


def test_a_jax_loop_raises_the_difficulty_as_a_loop() -> None:
    text = (
        "def k(x_ref, o_ref):\n    o_ref[0] = lax.fori_loop(0, 4, lambda i, a: a + x_ref[i], 0)\n"
    )
    assert classify("k", JAX + text).difficulty == "medium"
