"""How the sizes of a draft's cases are reduced until its inputs are small."""

from __future__ import annotations

import pytest

from ingest.drafting.parametrized_cases import Cases
from ingest.drafting.sizes import reduce_sizes
from tests.ingest.drafting.repositories import cases, function, whole


def test_a_too_large_size_in_the_test_body_becomes_a_smaller_case_key() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("wide", [False, True])
        def test_doubled(wide):
            experts = 8
            n = 4 * 5120
            k = 5120 if wide else 1280
            few = 32
            both = n * k
            z = torch.randn(both, device=device)
            x = torch.randn((experts, n, k), device=device)
            y = torch.randn(few, 16, device=device)
            assert torch.allclose(doubled(x), x + x + 0 * y[0, 0] + 0 * z[0])
        """
    )

    shown = cases(draft.texts.test_code)
    assert [(case["n"], case["k"]) for case in shown] == [(128, 256), (128, 1280)]
    assert 'FIXED = {"k", "n"}' in draft.texts.test_code
    made = function(draft.texts.test_code, "make_inputs")
    assert "n = case['n']" in made
    assert "experts = 8" in made
    assert "few = 32" in made
    assert "both = n * k" in made


def test_a_case_keeps_multiples_of_blocks_odd_sizes_and_long_rows() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("T, V", [(4096, 32000), (401, 4001)])
        def test_doubled(T, V):
            x = torch.randn(8, T, V, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    first, second = cases(draft.texts.test_code)
    assert (first["T"], first["V"]) == (101, 501)
    assert (second["T"], second["V"]) == (128, 1920)


def test_equal_sizes_stay_equal_and_heads_keep_their_ratio() -> None:
    draft = whole(
        """
        def test_doubled():
            batch, heads_q, heads_kv = 32, 64, 16
            x = torch.randn(batch, heads_q, 256, 128, device=device)
            y = torch.randn(batch, heads_kv, 256, 128, device=device)
            assert torch.allclose(doubled(x), x + x + 0 * y.sum())
        """
    )

    (case,) = cases(draft.texts.test_code)
    assert (case["batch"], case["heads_q"], case["heads_kv"]) == (2, 32, 8)
    made = function(draft.texts.test_code, "make_inputs")
    assert "randn(batch, heads_q, 128, 128)" in made
    assert "randn(batch, heads_kv, 128, 128)" in made


def test_the_allocations_of_a_helper_and_the_bounds_of_sequences_count() -> None:
    draft = whole(
        """
        def normal(tokens, heads=8):
            return [torch.randn(tokens, heads, 64, device=device) for _ in range(4)]

        @pytest.mark.parametrize("bounds", [[0, 15, 1000, 4096]])
        def test_doubled(bounds):
            x, y, *_ = normal(bounds[-1])
            lengths = torch.tensor(bounds, device=device)
            assert torch.allclose(doubled(x), x + x + 0 * y * lengths[0])
        """
    )

    (case,) = cases(draft.texts.test_code)
    assert case["bounds"] == [0, 1, 62, 256]


def test_a_size_does_not_become_so_small_that_an_input_is_empty() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("context", [2048])
        def test_doubled(context):
            cached = 256
            x = torch.randn(16, context - cached, 16, 128, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    (case,) = cases(draft.texts.test_code)
    assert case["context"] == 512


def test_small_inputs_keep_the_sizes_of_the_author() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("T", [2048])
        def test_doubled(T):
            heads = 4
            x = torch.randn(T, heads, 32, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert [case["T"] for case in cases(draft.texts.test_code)] == [2048]
    assert "heads = 4" in function(draft.texts.test_code, "make_inputs")


def test_lengths_in_a_tensor_shrink_with_the_rows_that_they_divide() -> None:
    draft = whole(
        """
        def test_doubled():
            context = 1024
            x = torch.randn(3 * context, 6, 128, device=device)
            lengths = torch.ones(4, dtype=torch.int32, device=device)
            lengths[0] = 512
            lengths[1] = context
            lengths[2] = 512
            lengths[3] = context
            assert torch.allclose(doubled(x) + lengths.sum(), x + x + lengths.sum())
        """
    )

    (case,) = cases(draft.texts.test_code)
    assert case["context"] == 128
    assert "lengths[0] = 64" in function(draft.texts.test_code, "make_inputs")


@pytest.mark.slow
def test_nested_loops_and_calls_of_itself_take_bounded_time() -> None:
    loops = "".join(f"{'    ' * depth}for n{depth} in range(60):\n" for depth in range(1, 7))
    body = f"{loops}{'    ' * 7}x = torch.randn(4096, 4096)\n    return (x,)\n"
    text = f"def made(case, device):\n{body}"
    text += "def again(n):\n    return again(n)\n"

    reduced, _ = reduce_sizes(text, Cases(({"n": 4},), {}, ()), "made")

    assert "torch.randn(" in reduced


def test_a_text_without_its_function_stays() -> None:
    cases_of_it = Cases(({"n": 4},), {}, ())

    assert reduce_sizes("", cases_of_it, "made") == ("", cases_of_it)


def test_a_size_stays_a_multiple_of_the_block_of_its_case() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("M, K, block_size", [(4096, 8192, 256)])
        def test_doubled(M, K, block_size):
            x = torch.randn(M, K, device=device).view(M // block_size, block_size, K)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    (case,) = cases(draft.texts.test_code)
    assert (case["M"], case["K"]) == (256, 2048)


def test_a_size_that_no_block_divides_does_not_become_a_multiple_of_one() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("T", [1030])
        def test_doubled(T):
            x = torch.randn(32, T, 64, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    assert [case["T"] for case in cases(draft.texts.test_code)] == [130]


def test_a_constant_that_becomes_a_key_is_read_with_the_other_keys() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("heads", [4])
        def test_doubled(heads):
            rows = 8192
            width = 100
            long = 4096
            x = torch.randn(rows, heads, width, device=device)
            y = torch.randn(long, heads, width, device=device)
            assert torch.allclose(doubled(x) + y.sum(), x + x + y.sum())
        """
    )

    made = function(draft.texts.test_code, "make_inputs")
    before, _, inside = made.partition("with torch.device")
    assert "rows = case['rows']" in before
    assert "long = case['long']" in before
    assert "width = 100" in inside


def test_the_number_of_a_dimension_is_no_other_size() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("dim", [0, 1])
        @pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
        @pytest.mark.parametrize("shape", [(1, 2), (4096, 256), (200, 40999, 3)])
        def test_doubled(shape, dtype, dim):
            x = torch.randn(shape, dtype=dtype, device=device).transpose(0, dim)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    # A shape with a size of one shows little, so it comes after the others, and only once.
    shapes = [case["shape"] for case in cases(draft.texts.test_code)]
    assert shapes == [(2048, 256), (1, 2), (4096, 256), (4096, 256)]


def test_one_layer_or_one_token_is_shown_only_beside_more() -> None:
    draft = whole(
        """
        @pytest.mark.parametrize("layers", [1, 8])
        @pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
        @pytest.mark.parametrize("tokens", [1, 32])
        def test_doubled(tokens, dtype, layers):
            x = torch.randn(layers, tokens, 64, dtype=dtype, device=device)
            assert torch.allclose(doubled(x), x + x)
        """
    )

    sizes = [(case["layers"], case["tokens"]) for case in cases(draft.texts.test_code)]
    assert sizes[0] == (8, 32)
    assert {*sizes} == {(8, 32), (1, 32), (8, 1)}
