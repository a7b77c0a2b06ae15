"""Somebody unpacks a release, writes three files of a record, and runs pytest: nothing of ours."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.curation.export.writing import every, export
from tests.factories import an_approved_pair

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.slow]

PYTHON = "import torch\n\n\ndef scale_{n}(x):\n    return x * {n}\n"
TRITON = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=mask) * FACTOR, mask=mask)


def scale_{n}(x):
    out = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), FACTOR={n}, BLOCK=64)
    return out
"""
TEST = """\
import pytest
import torch
from python_code import scale_{n} as reference
from triton_code import scale_{n} as candidate

CASES = [{{"n": 1, "seed": 0}}, {{"n": 97, "seed": 1}}, {{"n": 200, "seed": 2}}]
TOLERANCE = {{torch.float32: (1e-6, 1e-6)}}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    return (torch.randn(case["n"], generator=generator).to(device),)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[torch.float32]
    assert torch.allclose(candidate(*inputs), reference(*inputs), rtol=rtol, atol=atol)
"""


def test_the_files_of_ten_exported_pairs_pass_pytest_in_an_empty_folder(tmp_path: Path) -> None:
    for n in range(2, 14):
        an_approved_pair(
            slug=f"scale-{n}", entry_point=f"scale_{n}", python_code=PYTHON.format(n=n),
            triton_code=TRITON.format(n=n), test_code=TEST.format(n=n),
        )  # fmt: skip
    found = every(export(tmp_path / "out"), "pairs")
    drawn = random.Random(8).sample([record for r in found.values() for record in r], 10)  # noqa: S311

    folders = []
    for record in drawn:
        folder = tmp_path / "unpacked" / record["id"]
        folder.mkdir(parents=True)
        for name in ("python_code", "triton_code", "test_code"):
            (folder / f"{name}.py").write_text(record[name])
        folders.append(folder)

    # One process for all ten, each folder's modules apart; a stranger would start ten.
    program = (
        "import sys, pytest\n"
        "for folder in sys.argv[1:]:\n"
        "    sys.path.insert(0, folder)\n"
        "    for name in ('python_code', 'triton_code', 'test_code'): sys.modules.pop(name, None)\n"
        "    if pytest.main(['-q', '-p', 'no:cacheprovider', '-c', '/dev/null',\n"
        "                    '--rootdir', folder, folder + '/test_code.py']): sys.exit(1)\n"
        "    sys.path.remove(folder)\n"
    )
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program, *map(str, folders)],
        cwd=tmp_path,
        env={**kept, "TRITON_INTERPRET": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    assert ran.stdout.count("3 passed") == 10
