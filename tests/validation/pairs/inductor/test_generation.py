"""From a function to a pair by Inductor: in the real sandbox, tried as a stranger would."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from curation.models import Pair, PairOrigin
from curation.pairs.draft import OURS, PairDraft
from tests.validation.pairs.test_library import assert_passing_for_a_stranger
from validation.harness.pool.questions import Reply, Workers
from validation.pairs.contract import violations
from validation.pairs.inductor.generation import (
    Offer,
    came_of,
    generate,
    inductor,
    of_modules,
    types_named,
)
from validation.pairs.inductor.modules import MODULES

pytestmark = pytest.mark.slow

# One of each kind: a map, two reductions, an argument that is a number, a product, an index.
SOME = (
    "parametric_relu",
    "column_softmax",
    "add_rms_norm",
    "linear_gelu",
    "scaled_embedding",
    "squared_norm",
)
TEST = """from python_code import f as reference
from triton_code import f as candidate

import torch

CASES = [{{"n": n, "dtype": "float32", "seed": n}} for n in (1, 7, 64, 200)]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"], device=device){more},)
"""


@pytest.fixture(scope="module")
def drafts(workers: Workers) -> list[PairDraft]:
    chosen = tuple(module for module in MODULES if module.entry_point in SOME)
    offers = [o for o in of_modules(chosen) if o.dtype in ("float32", "bfloat16")]
    came = [draft for _, draft in generate(offers, workers)]
    assert all(isinstance(draft, PairDraft) for draft in came), came
    return [draft for draft in came if isinstance(draft, PairDraft)]


def offered(python: str, test: str = TEST.format(more="")) -> Offer:
    draft = PairDraft(
        entry_point="f",
        python_code=f"import torch\n\n\n{python}",
        triton_code="",
        test_code=test,
        origin="inductor",
        operation_type="element-wise",
        difficulty="",
        source=OURS,
    )
    return Offer(draft, "float32")


def reason_of(offer: Offer, workers: Workers) -> str:
    [(_, came)] = generate([offer], workers)
    assert isinstance(came, str), came
    return came


def test_an_inductor_pair_is_plain_triton_that_follows_the_contract(
    drafts: list[PairDraft],
) -> None:
    for draft in drafts:
        assert violations(draft.as_record()) == []
        for foreign in ("_inductor", "triton_helpers", "libdevice", "tl_math", "async_compile"):
            assert foreign not in draft.triton_code
        assert draft.origin == "inductor"


def test_each_inductor_pair_passes_pytest_in_an_empty_folder(
    drafts: list[PairDraft], tmp_path: Path
) -> None:
    assert_passing_for_a_stranger(drafts, tmp_path)


def test_inductor_generates_the_same_pair_for_the_same_function(workers: Workers) -> None:
    offer = offered("def f(x):\n    return torch.tanh(x) * x.sigmoid()\n")

    [(_, one)], [(_, other)] = (list(generate([offer], workers)) for _ in range(2))

    assert one == other


def test_inductor_pairs_of_one_module_share_a_split_group(drafts: list[PairDraft]) -> None:
    groups = {draft.entry_point: draft.split_group for draft in drafts}

    assert len(groups) == len(SOME)
    assert all(draft.split_group == groups[draft.entry_point] for draft in drafts)


def test_a_function_that_calls_a_library_is_skipped_with_its_name(workers: Workers) -> None:
    python = "def f(x):\n    return torch.sort(x)[0]\n"

    assert "sort" in reason_of(offered(python), workers)


def test_an_endless_function_does_not_block_other_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("validation.pairs.inductor.generation.SECONDS", 3.0)
    endless = offered("def f(x):\n    while True:\n        pass\n")
    fine = offered("def f(x):\n    return x + 1\n")

    with inductor(1) as workers:
        came = dict(generate([endless, fine], workers))

    assert came[endless] == "it took too long"
    assert isinstance(came[fine], PairDraft)


def test_a_function_that_raises_or_exits_is_skipped_with_a_reason(workers: Workers) -> None:
    raising = offered("def f(x):\n    raise ValueError('no')\n")
    dying = offered("import os\n\n\ndef f(x):\n    os._exit(0)\n")

    assert reason_of(raising, workers) == "Inductor raises ValueError"
    assert reason_of(dying, workers) == "its process ended with status 0"


@pytest.mark.parametrize(
    "said",
    [
        {},
        [1],
        {"module": "def", "numbers": {}, "single": True, "cases": "[]"},
        {"module": "(" * 5000, "numbers": {}, "single": True, "cases": "[]"},
        {"module": "def call(args):\n    return args", "numbers": {"9": 1}, "cases": "[]"},
    ],
)
def test_a_forged_answer_of_a_hostile_function_is_refused(said: object) -> None:
    came = came_of(offered("def f(x):\n    return x\n").draft, Reply(said))

    assert isinstance(came, str)


def test_an_inductor_pair_checks_the_number_that_was_compiled_in(workers: Workers) -> None:
    offer = offered("def f(x, by=2.0):\n    return x * by\n", TEST.format(more=", 3.0"))

    [(_, draft)] = generate([offer], workers)

    assert isinstance(draft, PairDraft)
    assert "if by != 3.0:" in draft.triton_code
    assert "def f(x, by=2.0):" in draft.triton_code


def test_a_function_whose_test_uses_gradients_is_refused(workers: Workers) -> None:
    test = TEST.format(more="") + "\n# y.backward()\n"

    assert "gradients" in reason_of(offered("def f(x):\n    return x + 1\n", test), workers)


def test_dtypes_are_read_from_the_cases() -> None:
    assert types_named('{"dtype": "float32"}, {"dtype": "int8"}, {"dtype": "float32"}') == (
        "float32",
        "int8",
    )
    assert types_named("CASES = [{}]") == (None,)


@pytest.mark.any_database
@pytest.mark.django_db
def test_generate_inductor_pairs_stores_pairs_once_and_writes_them(
    command_with_warm_workers: None, tmp_path: Path
) -> None:
    file, said = tmp_path / "pairs.jsonl", StringIO()

    for _ in range(2):
        call_command("generate_inductor_pairs", module=["parametric_relu"], write=file, stdout=said)

    assert "3 pairs stored, 0 known before." in said.getvalue()
    assert "0 pairs stored, 3 known before." in said.getvalue()
    assert Pair.objects.filter(origin=PairOrigin.INDUCTOR).count() == 3
    ids = {json.loads(line)["id"] for line in file.read_text().splitlines()}
    assert ids == {str(pair) for pair in Pair.objects.all()}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--limit=0"], "'0' is not a whole number of at least 1"),
        (["--module=adamw", "--from-pairs"], "exclude each other"),
        (["--module=adamw", "--license=MIT"], "only for --modules and --debug-folder"),
    ],
)
def test_invalid_inductor_options_are_refused_with_a_sentence(
    options: list[str], sentence: str
) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("generate_inductor_pairs", *options, stdout=StringIO())


@pytest.mark.any_database
@pytest.mark.django_db
def test_inductor_pairs_of_a_stored_pair_share_its_split_group(
    command_with_warm_workers: None,
) -> None:
    call_command("generate_pairs", recipe=["unary-map"], count=1, stdout=StringIO())
    source = Pair.objects.get()

    call_command("generate_inductor_pairs", from_pairs=True, limit=1, stdout=StringIO())

    made = Pair.objects.get(origin=PairOrigin.INDUCTOR)
    assert made.split_group == source.split_group
    assert made.python_code == source.python_code
    assert made.license == source.license
