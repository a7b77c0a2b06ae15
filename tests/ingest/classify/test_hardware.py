"""Hardware of a kernel, by its text and by where it is."""

import pytest

from curation.models import Hardware
from ingest.classify import hardware, hardware_of_path, hardware_of_text
from ingest.classify.hardware import DEFAULT, FOLDERS, MODULES, OPTIONS
from tests.ingest.classify.sources import ADD

HEAD = "import torch\nimport triton\nimport triton.language as tl\n\n\n"
WAVES = "triton.Config({'waves_per_eu': 2})"
BODY = "def k(x, y, n, BLOCK: tl.constexpr):\n    tl.store(y, tl.load(x))\n"


def test_every_hardware_value_is_a_choice_of_the_model() -> None:
    named = {DEFAULT, *MODULES.values(), *OPTIONS.values(), *FOLDERS.values()}

    assert named == set(Hardware.values)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"import torch_npu\n{ADD}", "ascend"),
        (f"import triton.language.extra.cann.extension as al\n{ADD}", "ascend"),
        (f"{HEAD}@triton.jit\n{BODY}    x = tl.extra.hip.libdevice.exp(x)\n", "hip"),
        (f"from triton.language.extra.mlu.libdevice import philox as _p\n{ADD}", "cambricon"),
        (f"from jax.experimental.pallas import tpu as pltpu\n{ADD}", "tpu"),
        (f"{HEAD}@triton.autotune([{WAVES}], key=['n'])\n@triton.jit\n{BODY}", "hip"),
        (f"{HEAD}CONFIG = triton.Config({{'grf_mode': '256'}})\n\n\n@triton.jit\n{BODY}", "xpu"),
        (
            f"{HEAD}@heuristics(meta={{'device': DeviceProperties(type='xpu', index=0)}})\n"
            f"@triton.jit\n{BODY}",
            "xpu",
        ),
    ],
)
def test_a_text_with_a_backend_feature_is_for_that_hardware(text: str, named: str) -> None:
    assert hardware_of_text(text) == named


@pytest.mark.parametrize(
    "text",
    [
        ADD,
        f"try:\n    import torch_npu\nexcept ImportError:\n    pass\n{ADD}",
        f"if is_npu_available():\n    import torch_npu\n{ADD}",
        f"{HEAD}@triton.jit\n{BODY}    if IS_HIP:\n        x = tl.extra.hip.libdevice.exp(x)\n",
        f"{HEAD}def configs():\n    if is_hip():\n        return [{WAVES}]\n    return []\n\n\n"
        f"@triton.autotune(configs(), key=['n'])\n@triton.jit\n{BODY}",
        f"{HEAD}ALL = [{WAVES}] if torch.version.hip else []\n\n\n@triton.jit\n{BODY}",
        f"{HEAD}@triton.autotune([{WAVES}], key=['n'])\n@triton.jit\n"
        "def k(x, y, waves_per_eu: tl.constexpr):\n    tl.store(y, tl.load(x))\n",
        f"# As torch_npu does with waves_per_eu.\n{ADD}",
        "import torch_npu and nothing that parses",
    ],
)
def test_a_generic_text_with_a_backend_branch_is_for_no_specific_hardware(text: str) -> None:
    assert hardware_of_text(text) == ""


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("src/liger_kernel/ops/backends/_ascend/ops/swiglu.py", "ascend"),
        ("src/flag_gems/runtime/backend/_cambricon/ops/add.py", "cambricon"),
        ("runtime/backend/_hygon/ops/add.py", "hip"),
        ("runtime/backend/_arm/add.py", "cpu"),
        ("third_party/amd/python/kernels.py", "hip"),
        ("ops/rms_norm_npu.py", "ascend"),
        ("ops/triton-ascend/rms_norm.py", "ascend"),
        ("kernels/tpu/flash.py", "tpu"),
        ("examples/rms_norm.py", ""),
        ("hipify/norm.py", ""),
        ("chips/example_descend.py", ""),
        ("ops/cpu_offload.py", ""),
        ("ops/cuda_hip_ops.py", ""),
        ("runtime/backend/_nvidia/ops/add.py", ""),
        ("cpu.py", ""),
    ],
)
def test_hardware_names_in_a_path_match_whole_words(path: str, named: str) -> None:
    assert hardware_of_path(path) == named


def test_a_kernel_with_one_generic_path_is_for_cuda() -> None:
    assert hardware("", ["backends/_ascend/add.py"]) == "ascend"
    assert hardware("", ["backends/_ascend/add.py", "ops/add.py"]) == "cuda"
    assert hardware("", []) == "cuda"


def test_the_text_of_a_kernel_overrides_its_paths_for_hardware() -> None:
    assert hardware(hardware_of_text(f"import torch_npu\n{ADD}"), ["ops/add.py"]) == "ascend"
