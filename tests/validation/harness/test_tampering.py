"""What was put in a judge's place is named, and who calls the judge does not find him."""

import functools
import gc
import os
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest
import torch

from validation.harness.inside import kinds
from validation.harness.inside.hidden import hidden
from validation.harness.inside.tampering import our_spaces, sealed

# As a warm parent does once all is imported.
kinds.meet()


def by_an_entry(tmp_path: Path) -> Any:
    """A function that stands in an entry's file."""
    file = str(tmp_path / "entry-in-three-files-1" / "triton_code.py")
    space: dict[str, Any] = {}
    exec(compile("def clone(*arguments):\n    return None\n", file, "exec"), space)  # noqa: S102 - ours
    return space["clone"]


def test_what_is_replaced_and_what_is_set_before_something_inherited_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, function = sealed(), by_an_entry(tmp_path)
    assert broken() == []
    with monkeypatch.context() as patch:
        patch.setattr(torch, "allclose", function)
        # Torch's own stands in a class below.
        patch.setattr(torch.Tensor, "clone", function)
        assert broken() == ["torch.Tensor.clone", "torch.allclose"]
    assert broken() == []


def test_who_poses_as_a_librarys_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, function = sealed(), by_an_entry(tmp_path)

    class Posing:
        __globals__, __code__ = vars(torch), None
        __call__ = function

    # What it says of itself is what a class of torch's would say, and where it is looked for.
    Posing.__module__, Posing.__qualname__ = "torch", "Generator"
    monkeypatch.setattr(torch, "Generator", Posing)
    monkeypatch.setattr(torch, "allclose", Posing())
    monkeypatch.setattr(torch.Tensor, "clone", functools.partial(function))
    monkeypatch.setattr(torch.Tensor, "__getattr__", functools.partial(function), raising=False)
    assert broken() == [
        "torch.Generator", "torch.Tensor.__getattr__", "torch.Tensor.clone", "torch.allclose",
    ]  # fmt: skip


def test_what_a_library_replaces_of_its_own_is_not_held_against_anybody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = sealed()
    monkeypatch.setattr(torch, "allclose", torch.sum)
    monkeypatch.setattr(torch, "compile", torch.export.export)
    monkeypatch.setattr(torch, "Generator", torch.Event)
    assert broken() == []


def test_our_own_modules_and_classes_are_held_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from validation.harness.inside import veil

    broken, function = sealed(ours=our_spaces()), by_an_entry(tmp_path)
    monkeypatch.setattr(veil.Veil, "cover", function)
    monkeypatch.setattr(veil, "Cloth", function)
    assert broken() == ["Veil.cover", "validation.harness.inside.veil.Cloth"]


def test_a_hidden_function_can_be_called_and_not_looked_into() -> None:
    secret = ["found"]

    def first(*arguments: int, **named: int) -> tuple[str, int]:
        return secret[0], sum(arguments) + sum(named.values())

    function = hidden(first)
    assert function(1, 2, third=3) == ("found", 6)
    # Nothing is kept: lists can't be, and the second answer is the second one's.
    assert hidden(len)([1, 2]) == 2
    seen: set[int] = set()
    ahead: list[Any] = [getattr(function, name, None) for name in dir(function)]
    while ahead:
        one = ahead.pop()
        if id(one) in seen or isinstance(one, ModuleType | type | CodeType | str):
            continue
        seen.add(id(one))
        assert one is not first and one is not secret
        ahead += [getattr(one, name, None) for name in ("__closure__", "__wrapped__", "__func__")]
    # The garbage collector knows, and audit hooks hear of whoever asks it.
    assert first in gc.get_referents(function)


def test_a_hidden_function_is_a_method_of_what_it_is_put_into() -> None:
    class Kernel:
        run = hidden(lambda self, *arguments: (type(self).__name__, arguments))

    assert Kernel().run(1) == ("Kernel", (1,))
    assert os.getpid() == hidden(os.getpid)()
