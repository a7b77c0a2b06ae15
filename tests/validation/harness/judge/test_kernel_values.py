"""Values are followed through the text of a kernel into its stores."""

import pytest

from validation.harness.judge.kernel_values import only_moves, stored_parameters

TABLE, OUT, N = 0, 1, 2


def stored(body: str, more: str = "") -> frozenset[int]:
    """Return the parameters whose values a kernel with this body stores."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"{more}def kernel(table, out, n, x):\n{lines}"
    return stored_parameters(text, ("kernel", 1 + more.count("\n")), {TABLE, OUT, 3})


@pytest.mark.parametrize(
    "body",
    [
        "tl.store(out, tl.load(table))",
        "tl.store(out, value=tl.load(table).to(tl.float32, bitcast=True))",
        "a = tl.load(table + 1)\nb = a * 2\ntl.store(out, b, mask=b < n)",
        "t = 0\nfor i in range(4):\n    t += tl.load(table + i)\ntl.atomic_add(out, tl.exp(t))",
        "tl.store(out, tl.where(tl.load(x) > 0, tl.load(table), 0))",
        "first, second = tl.load(table), tl.load(x)\ntl.store(out, first)",
        "tl.store(out, (y := tl.load(table)) + 1)",
    ],
)
def test_a_number_of_a_table_that_is_stored_is_found(body: str) -> None:
    assert TABLE in stored(body)


@pytest.mark.parametrize(
    "body",
    [
        "tl.store(out + tl.load(table), tl.load(x))",
        "tl.store(out, tl.load(x + tl.load(table), mask=tl.arange(0, 4) < tl.load(table)))",
        "tl.store(out, tl.where(tl.arange(0, 4) < tl.load(table), tl.load(x), 0.0))",
        "tl.store(out, tl.load(x).to(tl.load(table).dtype))",
        "rows = tl.load(table)\nfor i in range(0, rows):\n    tl.store(out + i, tl.load(x + i))",
    ],
)
def test_addresses_lengths_and_masks_are_no_stored_numbers(body: str) -> None:
    assert TABLE not in stored(body)


def test_a_number_is_followed_into_a_function_and_back() -> None:
    more = "def halved(pointer, by=2):\n    return tl.load(pointer) / by\n\n\n"

    assert stored("tl.store(out, halved(table))", more) == {TABLE}
    assert stored("tl.store(out, halved(pointer=x, by=n))", more) == {N, 3}


def test_a_store_within_a_function_is_found() -> None:
    more = "def put(value, target):\n    tl.store(target, value)\n\n\n"

    assert stored("put(tl.load(table), out)", more) == {TABLE}


def test_a_length_is_stored_only_as_a_value() -> None:
    assert N not in stored("tl.store(out + n, tl.load(x, mask=x < n))")
    assert N in stored("tl.store(out, tl.sum(tl.load(x)) / n)")


@pytest.mark.parametrize(
    ("body", "moves"),
    [
        ("tl.store(out, tl.load(x))", True),
        ("tl.store(out, tl.trans(tl.load(x + tl.load(table) * n)))", True),
        ("out.store([0, n], x.load([n, 0]))", True),
        ("tl.store(out, -tl.load(x))", False),
        ("tl.store(out, tl.sum(tl.load(x)))", False),
        ("tl.store(out, 0.0)", False),
        ("pass", False),
    ],
)
def test_a_kernel_only_moves_what_it_stores_as_it_loaded_it(body: str, moves: bool) -> None:
    assert only_moves(f"def kernel(table, out, n, x):\n    {body}\n", "kernel") is moves


def test_a_text_that_does_not_parse_stores_nothing() -> None:
    assert stored_parameters("def kernel(", ("kernel", 1), {0}) == frozenset()
