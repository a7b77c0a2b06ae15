"""Bytes from a hostile process are read as torch reads them, or refused."""

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.harness.judge.answers import value
from validation.harness.judge.numbers import DIRECT, EIGHT_BIT, Unreadable, numbers

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["tensor", "dtype", "shape", "device", "tuple", "dict", "value"])
            | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


# In a process of its own: none that serves the site or its tests ever imports torch.
ORACLE = """
import json, sys, torch
told = {}
for name in json.loads(sys.argv[1]):
    dtype = getattr(torch, name)
    codes = torch.arange(256 * 16, dtype=torch.int32) * 16 + 1 if dtype.itemsize > 1 else None
    raw = torch.arange(256, dtype=torch.uint8) if codes is None else codes.to(torch.uint16)
    if dtype.itemsize > 2 or dtype is torch.bool:
        tensor = torch.tensor([0, 1, 1, 100]).to(dtype)
    else:
        tensor = raw.view(dtype)
    bytes_of = tensor.view(torch.uint8).numpy().tobytes().hex()
    wide = tensor.to(torch.complex128) if tensor.is_complex() else tensor.double()
    told[name] = bytes_of, [str(value) for value in wide.tolist()]
print(json.dumps(told))
"""


def described(dtype: str, shape: list[int], raw: bytes) -> tuple[dict[str, Any], list[memoryview]]:
    return {"tensor": 0, "dtype": dtype, "shape": shape}, [memoryview(raw)]


@pytest.mark.slow
def test_every_dtype_is_decoded_as_torch_decodes_it() -> None:
    asked = [sys.executable, "-c", ORACLE, json.dumps([*DIRECT, *EIGHT_BIT, "bfloat16"])]
    told = json.loads(subprocess.run(asked, capture_output=True, check=True, text=True).stdout)

    for dtype, (raw, values) in told.items():
        found = numbers(*described(dtype, [len(values)], bytes.fromhex(raw))).values()

        wanted = [complex(value) for value in values]
        assert np.array_equal(found.astype(complex), np.array(wanted), equal_nan=True), dtype


@pytest.mark.parametrize(
    "lie",
    [
        {"shape": [3]},
        {"shape": [-2, -1]},
        {"shape": [2.0]},
        {"shape": [True, 2]},
        {"shape": 2},
        {"shape": [1 << 70]},
        {"tensor": 1},
        {"tensor": "0"},
        {"dtype": "float128"},
        {"dtype": ["float32"]},
        {"dtype": "float64"},
    ],
)
def test_a_tensor_description_that_contradicts_its_bytes_is_refused(lie: dict[str, Any]) -> None:
    tree, blobs = described("float32", [2], bytes(8))

    with pytest.raises(Unreadable):
        numbers({**tree, **lie}, blobs)


@given(json_values)
def test_any_json_value_of_a_process_is_decoded_or_refused(said: Any) -> None:
    blobs = [memoryview(bytes(8))]
    try:
        value({"value": said, "gradients": [], "aliases": []}, blobs)
        value(said, blobs)
    except Unreadable:
        return


def test_a_too_deeply_nested_answer_is_refused() -> None:
    endless: Any = 1
    for _ in range(100_000):
        endless = [endless]

    with pytest.raises(Unreadable):
        value({"value": endless, "gradients": [], "aliases": []}, [])
