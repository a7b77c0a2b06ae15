"""A reviewer sees the value of each line of a kernel, and the line that makes the answer wrong."""

from functools import cache
from typing import Any

import pytest
from django.test import Client

from curation.models import Pair, RunState, TriedCase
from tests.factories import a_pair, a_reviewer
from validation.jobs import try_case
from validation.pairs.handwritten import handwritten

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@cache
def library() -> dict[str, Any]:
    return {draft.slug: draft for draft in handwritten()}


def a_library_pair(slug: str, *change: str) -> Pair:
    draft = library()[slug]
    text = draft.triton_code.replace(*change, 1) if change else draft.triton_code
    assert change == () or text != draft.triton_code
    return a_pair(
        python_code=draft.python_code, triton_code=text, test_code=draft.test_code,
        entry_point=draft.entry_point, differentiable=draft.differentiable,
    )  # fmt: skip


def values_of(pair: Pair, client: Client, **form: str) -> TriedCase:
    client.force_login(a_reviewer())
    client.post(f"/pairs/{pair.pk}/try", {"place": "0", "change": "", "program": "", **form})
    run = TriedCase.objects.get(pair=pair)
    try_case(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.SUCCEEDED, run.message
    return run


def line_of(pair: Pair, text: str) -> int:
    return pair.triton_code[: pair.triton_code.index(text)].count("\n") + 1


def test_each_line_of_the_chosen_program_has_its_value(client: Client) -> None:
    pair = a_library_pair("matmul")

    run = values_of(pair, client, place="3", program="2, 1")

    noted = {row["line"]: row for row in run.report["lines"]}
    loop = noted[line_of(pair, "for first in range")]
    assert run.report["right"] is True and run.report["marked"] == 0
    assert run.report["kernels"] == [
        {"name": "matmul_kernel", "grid": [3, 2, 1], "program": [2, 1, 0]}
    ]
    assert loop["runs"] == [f"first: int {first}" for first in (0, 32, 64, 96)]
    rows = noted[line_of(pair, "rows = ")]
    assert rows["runs"] == ["rows: int32[32] from 64 to 95: 64, 65, 66, 67, 68, 69, …"]
    # Of 4 tiles of 32 by 32, only 6 rows and 100 columns lie within the 70 by 100 matrix.
    loaded = noted[line_of(pair, "a = tl.load")]
    assert (loaded["lanes"], loaded["masked"]) == (4 * 32 * 32, 4 * 32 * 32 - 6 * 100)


def test_the_page_shows_the_values_beside_the_lines(client: Client) -> None:
    pair = a_library_pair("add")

    values_of(pair, client)
    page = client.get(f"/pairs/{pair.pk}/?tab=values").content.decode()

    assert "Right" in page and "pid: int32 0" in page and "lanes masked off" in page
    assert "pid: int32" not in client.get(f"/pairs/{pair.pk}/?tab=try").content.decode()


@pytest.mark.parametrize(
    ("slug", "right", "faulty"),
    [
        ("fused-softmax", "mask = cols < n_cols\n", "mask = cols < n_cols - 1\n"),
        pytest.param(
            "layer-norm", "tl.sum(x, axis=0) / n_cols\n", "tl.sum(x, axis=0)\n",
            marks=pytest.mark.slow,
        ),
        pytest.param("sum-along-axis", "(acc, axis=1)", "(acc, axis=0)", marks=pytest.mark.slow),
        pytest.param("rms-norm", "/ n_cols + eps", "/ (n_cols - 1) + eps", marks=pytest.mark.slow),
        pytest.param("swiglu", "gate * sigmoid\n", "gate + sigmoid\n", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_the_line_with_a_planted_fault_is_marked(
    slug: str, right: str, faulty: str, client: Client
) -> None:
    pair = a_library_pair(slug, right, faulty)

    run = values_of(pair, client, place="1")

    assert run.report["right"] is False
    assert run.report["marked"] == line_of(pair, faulty), run.report["searched"]
    assert "All cases are right with" in run.report["searched"]


def test_a_kernel_that_the_interpreter_cannot_run_says_why(client: Client) -> None:
    assembly = 'tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [x], tl.float32, True, 1)'
    pair = a_library_pair("add", "x + y", assembly)

    run = values_of(pair, client)
    page = client.get(f"/pairs/{pair.pk}/?tab=values").content.decode()

    line = line_of(pair, assembly)
    assert run.report["marked"] == line
    assert f"Triton&#x27;s interpreter stopped at line {line}" in page and "inline_asm" in page


def test_a_program_that_is_no_place_of_a_grid_gives_a_sentence(client: Client) -> None:
    pair = a_library_pair("add")
    client.force_login(a_reviewer())

    answer = client.post(
        f"/pairs/{pair.pk}/try", {"place": "0", "change": "", "program": "1;2"}, follow=True
    )

    assert "Write the program as up to three numbers" in answer.content.decode()
    assert not TriedCase.objects.exists()
