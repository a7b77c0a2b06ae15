"""Whole models in the real sandbox: what becomes of each, and that its pairs pass."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from curation.errors import CurationError
from curation.models import Pair, PairOrigin
from curation.pairs.draft import PairDraft
from tests.validation.harness.sandbox.confining import levels
from tests.validation.pairs.inductor.whole.files import BLOCKS, LOOKING_WHILE_MADE, SOME_BROKEN
from tests.validation.pairs.test_library import assert_passing_for_a_stranger
from validation.harness.pool.questions import Workers
from validation.harness.sandbox import Level
from validation.pairs.contract import violations
from validation.pairs.inductor.generation import WORKER, generate
from validation.pairs.inductor.whole.model_sources import of_debug_folder, of_file
from validation.pairs.inductor.whole.splitting import SECONDS, SplitModel, split

pytestmark = pytest.mark.slow

RUNNABLE = """
import torch


class Repro(torch.nn.Module):
    def forward(self, arg0_1, arg1_1):
        mul = torch.ops.aten.mul.Tensor(arg0_1, 0.5)
        amax = torch.ops.aten.amax.default(mul, [-1], True)
        sub = torch.ops.aten.sub.Tensor(mul, amax)
        add = torch.ops.aten.add.Tensor(sub, arg1_1)
        return (torch.ops.aten.exp.default(add),)


def load_args(reader):
    buf0 = reader.storage(None, 96, device=torch.device("cuda", index=0))
    reader.tensor(buf0, (4, 6), is_leaf=True)
    buf1 = reader.storage(None, 24, device=torch.device("cuda", index=0))
    reader.tensor(buf1, (6,), is_leaf=True)


load_args._version = 0
mod = Repro()
if __name__ == "__main__":
    from torch._dynamo.repro.after_aot import run_repro
    run_repro(mod, load_args)
"""


def file_of(folder: Path, text: str) -> Path:
    path = folder / "models.py"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def blocks(workers: Workers, tmp_path_factory: pytest.TempPathFactory) -> SplitModel:
    [found] = split([of_file(file_of(tmp_path_factory.mktemp("blocks"), BLOCKS))], workers)
    return found


def test_a_model_of_three_like_layers_gives_each_part_once(blocks: SplitModel) -> None:
    names = [offer.draft.entry_point for offer in blocks.offers]

    assert blocks.trouble == ""
    assert blocks.groups > 3 * 8
    assert "relu" in names and "softmax" in names and "linear" in names
    assert len({offer.draft.python_code.partition('"""')[2] for offer in blocks.offers}) == len(
        names
    )
    assert len(names) < 16


def test_pairs_of_a_whole_model_pass_pytest_in_an_empty_folder(
    blocks: SplitModel, workers: Workers, tmp_path: Path
) -> None:
    came = [draft for _, draft in generate(blocks.offers, workers)]
    drafts = [draft for draft in came if isinstance(draft, PairDraft)]

    assert len(drafts) >= 8
    for draft in drafts:
        assert violations(draft.as_record()) == []
        assert "_inductor" not in draft.triton_code
    assert_passing_for_a_stranger(drafts, tmp_path)


def test_modules_without_parts_give_a_reason_and_do_not_block_others(
    workers: Workers, tmp_path: Path
) -> None:
    found = split([of_file(file_of(tmp_path, SOME_BROKEN))], workers)

    by_name = {one.name: one for one in found}

    assert by_name["looking"].trouble == "what it computes depends on its values"
    assert by_name["raising"].trouble == "it raises RuntimeError: no weights"
    assert "does not return a module" in by_name["alone"].trouble
    assert [offer.draft.entry_point for offer in by_name["fine"].offers] == ["tanh_part"]


@pytest.mark.parametrize("level", levels())
def test_models_are_split_at_every_sandbox_level(level: Level, tmp_path: Path) -> None:
    whole = of_file(file_of(tmp_path, LOOKING_WHILE_MADE))
    with Workers(WORKER, seconds=SECONDS, parallel=1, level=level) as confined:
        [found] = split([whole], confined)

    assert found.trouble == ""
    assert len(found.offers) == 1


def test_a_model_may_read_tensor_values_during_construction(
    workers: Workers, tmp_path: Path
) -> None:
    [found] = split([of_file(file_of(tmp_path, LOOKING_WHILE_MADE))], workers)

    [offer] = found.offers
    assert "layer_norm * 0.5" in offer.draft.python_code


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("MODULES = []", "its MODULES is no dictionary"),
        ("x = 1", "its MODULES is no dictionary"),
        ("def (", "it raises SyntaxError"),
        ("MODULES = 1 / 0", "it raises ZeroDivisionError"),
        ("import nowhere\nMODULES = {}", "it imports nowhere, which is not installed"),
        ("import os\nMODULES = os._exit(3)", "its process ended with status 3"),
    ],
)
def test_an_invalid_file_of_modules_gives_a_sentence(
    text: str, trouble: str, workers: Workers, tmp_path: Path
) -> None:
    [found] = split([of_file(file_of(tmp_path, text))], workers)

    assert found.trouble.startswith(trouble)


def test_a_graph_in_a_torch_compile_debug_folder_is_split(workers: Workers, tmp_path: Path) -> None:
    (tmp_path / "model__0_inference_0.0").mkdir()
    (tmp_path / "model__0_inference_0.0" / "fx_graph_runnable.py").write_text(RUNNABLE)

    [found] = split(list(of_debug_folder(tmp_path)), workers)

    [offer] = found.offers
    assert found.name == "model__0_inference_0.0"
    assert "torch.amax(mul, (-1,), keepdim=True)" in offer.draft.python_code


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"modules": [Path("nowhere.py")]}, "nowhere.py can't be read: No such file"),
        ({"transformers": ["nowhere.json"]}, "transformers is not installed|can't be read"),
        ({"debug_folder": [Path("nowhere")]}, "There is no fx_graph_runnable.py in nowhere"),
    ],
)
def test_an_unreadable_model_option_is_refused_with_a_sentence(
    options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(CurationError, match=sentence):
        call_command("generate_inductor_pairs", stdout=StringIO(), **options)


@pytest.mark.parametrize("library", ["transformers", "timm"])
def test_a_missing_model_library_is_named_with_the_install_command(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    with pytest.raises(CurationError, match=f"pip install {library}"):
        call_command("generate_inductor_pairs", **{library: ["some"]}, stdout=StringIO())


@pytest.mark.any_database
@pytest.mark.django_db
def test_generate_inductor_pairs_stores_the_pairs_of_a_module_file(tmp_path: Path) -> None:
    said = StringIO()

    call_command(
        "generate_inductor_pairs",
        modules=[file_of(tmp_path, SOME_BROKEN)],
        write=tmp_path / "pairs.jsonl",
        stdout=said,
    )

    assert "looking: nothing, because what it computes depends on its values." in said.getvalue()
    assert "fine: 1 group, 1 new function." in said.getvalue()
    pair = Pair.objects.get(origin=PairOrigin.INDUCTOR)
    # Not the name of the device function that its kernel calls.
    assert pair.entry_point == "tanh_part"
    assert pair.metadata["provenance"] == {"path": "models.py"}
    assert json.loads((tmp_path / "pairs.jsonl").read_text())["id"] == str(pair)
