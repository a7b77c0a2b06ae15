"""The short forms of tables: sizes, configurations, arguments, and entries like another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from validation.pairs.recipes.catalog import axis_of, read_table
from validation.pairs.recipes.recipe import joined, size_rows, sketched
from validation.pairs.recipes.sketch import Argument, config_rows

TABLE = """
[base]
let.twice = "2 * size"
where = ["size > 1"]
type = "other"
entry_point = "{{ 'big' if twice > 4 }}_add"
summary = "add one"
python = "{{ 'y = x' if twice > 4 }}\\nreturn x + 1"
arguments = "x [n]; {{ 'p=0.5' if twice > 4 }}"
sizes = "n: 1, {{ twice }}"
[base.axes]
size = [1, 2, 3]
kind = [["name", "word"], ["one", "first"]]

[other]
like = "base"
axes = { size = [4] }
summary = "add one to {{ kind.word }}"
"""


def test_sizes_and_configurations_are_read_by_the_names_of_their_columns() -> None:
    assert size_rows("rows cols: 1 1, 5 127 bfloat16") == (
        {"rows": 1, "cols": 1},
        {"rows": 5, "cols": 127, "dtype": "bfloat16"},
    )
    assert config_rows("BLOCK_M BLOCK_N: 16 64 4 2") == (({"BLOCK_M": 16, "BLOCK_N": 64}, 4, 2),)
    assert size_rows("") == ()


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ("x", Argument("x")),
        ("x [rows, 2 * cols]", Argument("x", ("rows", "2 * cols"))),
        ("b [k, n] factor _ k", Argument("b", ("k", "n"), "factor", bound="k")),
        ("x [int(starts[-1]) + 1]", Argument("x", ("int(starts[-1]) + 1",))),
        ("p=-0.5", Argument("p", default="-0.5")),
        ("longest: int", Argument("longest", annotation="int")),
    ],
)
def test_an_argument_has_a_short_form(text: str, argument: Argument) -> None:
    assert Argument.parsed(text) == argument


def test_an_entry_takes_what_it_lacks_from_another(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    entries = read_table(path)
    kind = axis_of(entries["base"]["axes"]["kind"])[0]

    assert axis_of(entries["other"]["axes"]["size"]) == (4,)
    assert sketched(entries["base"], {"size": 1, "kind": kind}) is None
    small = sketched(entries["base"], {"size": 2, "kind": kind})
    large = sketched(entries["other"], {"size": 4, "kind": kind})
    assert small is not None and large is not None
    assert (small.entry_point, small.signature, small.python) == ("add", "x", ("return x + 1",))
    assert (large.entry_point, large.signature) == ("big_add", "x, p=0.5")
    assert large.summary == "Add one to first."
    assert large.python == ("y = x", "return x + 1")
    assert large.sizes == ({"n": 1}, {"n": 8})


def test_a_name_has_no_gap_for_an_omitted_word() -> None:
    assert joined("_causal__attention_") == "causal_attention"
