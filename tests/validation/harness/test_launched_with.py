"""What a kernel is launched with can be asked this and that while its data is shown: what would
answer by code of the entry's has no place there, however it is put; plain values have."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import importlib, json, sys
import torch
from validation.harness.inside.callbacks import unwelcome

sys.path.insert(0, sys.argv[1])
told = []
for number in range(int(sys.argv[2])):
    row = importlib.import_module(f"row_{number}")
    told.append([unwelcome(row.kernel, [one], {}) for one in row.given])
print(json.dumps(told))
"""
ENTRY = """
import enum, functools, operator, typing
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    pass


def answer(*_):
    raise AttributeError


class Same(type(torch.Tensor)):
    def __hash__(cls):
        return hash(torch.Tensor)

    def __eq__(cls, other):
        return True


class Bare(type):
    __mro__ = property(lambda cls: (object,))
    __dict__ = property(lambda cls: {})


class Callable:
    def __init__(self, name=""):
        if name:
            answer()

    def __call__(self, *_):
        answer()

    ask = __call__


given = []
"""
HOSTILE = {
    "a method": "class One:\n    def __getattr__(self, name): answer()\ngiven += [One()]",
    "a partial function": (
        "class One:\n    __getattr__ = functools.partial(answer)\ngiven += [One()]"
    ),
    "a partial method": (
        "class One:\n    __getattr__ = functools.partialmethod(answer)\ngiven += [One()]"
    ),
    "a cached function": (
        "class One:\n    __getattr__ = functools._lru_cache_wrapper(answer, 0, False, tuple)\n"
        "given += [One()]"
    ),
    "a cached property": (
        "class One:\n    base = functools.cached_property(answer)\ngiven += [One()]"
    ),
    "a property of a partial function": (
        "class One:\n    base = property(functools.partial(answer))\ngiven += [One()]"
    ),
    "an object that is called": "class One:\n    __getattr__ = Callable()\ngiven += [One()]",
    "a method of another": "class One:\n    __getattr__ = Callable().ask\ngiven += [One()]",
    "a class that is made": "class One:\n    __getattr__ = Callable\ngiven += [One()]",
    "a class in a method's place": ("class One:\n    __len__ = Callable\ngiven += [One()]"),
    "a class whose own class is asked for it": (
        "class Asked(type):\n    def __get__(cls, *_): answer()\n"
        "class Part(metaclass=Asked): pass\n"
        "class One:\n    dtype = Part\ngiven += [One()]"
    ),
    "a member of an enumeration": (
        "class One(enum.Enum):\n    ONE = 1\n    def __getattr__(self, name): answer()\n"
        "given += [One.ONE]"
    ),
    "a kind without ancestors": (
        "class One(metaclass=Bare):\n    def __getattr__(self, name): answer()\ngiven += [One()]"
    ),
    "a kind that says it is a number": (
        "class One:\n    __class__ = property(lambda self: np.int64)\ngiven += [One()]"
    ),
    "a number of its own kind": (
        "class One(np.int64):\n    def __getattr__(self, name): answer()\ngiven += [One(1)]"
    ),
    "a tensor of its own kind": (
        "class One(torch.Tensor): pass\ngiven += [torch.ones(1).as_subclass(One)]"
    ),
    "a tensor of a kind that equals torch's": (
        "class One(torch.Tensor, metaclass=Same): pass\ngiven += [torch.ones(1).as_subclass(One)]"
    ),
    "a tuple": "class One(tuple):\n    def __len__(self): answer()\ngiven += [One()]",
    "within a constant": (
        "class One:\n    __getattr__ = functools.partial(answer)\ngiven += [tl.constexpr(One())]"
    ),
    "within a tuple": (
        "class One:\n    __getattr__ = functools.partial(answer)\ngiven += [(1, (One(),))]"
    ),
}
HONEST = {
    "numbers": "given += [1, 2.0, True, None, 'x', np.float32(1), torch.float16, tl.float16]",
    "tensors": "given += [torch.ones(3), torch.nn.Parameter(torch.ones(3)), torch.ones(2, 2).t()]",
    "a constant": "given += [tl.constexpr(3), tl.constexpr(tl.float32)]",
    "a tuple of both": "given += [(torch.ones(1), 1, (2, None))]",
    "a named tuple": (
        "One = namedtuple('One', ['x', 'n'], defaults=[1])\ngiven += [One(torch.ones(1))]"
    ),
    "a class of a tuple": (
        "class One(typing.NamedTuple):\n    x: torch.Tensor\n    n: int = 1\n"
        "given += [One(torch.ones(1))]"
    ),
    "a data class": (
        "@dataclass(frozen=True)\nclass One:\n    block: int = 4\n    kind: type = float\n"
        "given += [tl.constexpr(One())]"
    ),
    "a data class with slots": (
        "@dataclass(frozen=True, slots=True)\nclass One:\n    block: int = 4\ngiven += [One()]"
    ),
    "an enumeration with methods": (
        "class One(enum.IntEnum):\n    ONE = 1\n    TWO = 2\n\n"
        "    @property\n    def twice(self): return 2 * self\n\n"
        "    def __str__(self): return self.name\n"
        "given += [One.ONE, tl.constexpr(One.TWO)]"
    ),
    "a kernel": "given += [kernel]",
    "a description of a tensor": (
        "from triton.tools.tensor_descriptor import TensorDescriptor\n"
        "given += [TensorDescriptor(torch.ones(16, 16), [16, 16], [16, 1], [16, 16])]"
    ),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[str]]]:
    """What is held against each that is given, a module a row."""
    folder = tmp_path_factory.mktemp("rows") / "entry-in-three-files-1"
    folder.mkdir()
    rows = HOSTILE | HONEST
    for number, row in enumerate(rows.values()):
        (folder / f"row_{number}.py").write_text(f"{ENTRY}{row}\n")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder), str(len(rows))],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    return dict(zip(rows, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", HOSTILE)
def test_what_would_answer_by_code_of_the_entrys_has_no_place(
    name: str, told: dict[str, list[list[str]]]
) -> None:
    assert told[name]
    assert all(told[name])


@pytest.mark.parametrize("name", HONEST)
def test_what_only_holds_values_has_a_place(name: str, told: dict[str, list[list[str]]]) -> None:
    assert told[name]
    assert not any(told[name]), told[name]
