"""What several tests of pairs begin with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

Filled = Callable[[str, str], Any]


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> Iterator[Filled]:
    """Makes the module of that name from one of a pair's texts, here: on the CPU, in one thread."""
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    def made(name: str, text: str) -> ModuleType:
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(text, f"{name}.py", "exec"), vars(module))  # noqa: S102 - our own text
        return module

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield made
    torch.set_num_threads(threads)
