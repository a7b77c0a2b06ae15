import os
from pathlib import Path

import pytest

from ingest.inductor import (
    FolderUnreadable,
    InductorKernel,
    Limits,
    Trace,
    identity_source,
    read_debug_folder,
)
from tests.ingest.inductor.trees import DEVICE_B, Made, module, write_trace


def kernels(traces: list[Trace]) -> list[InductorKernel]:
    return [kernel for trace in traces for kernel in trace.kernels]


def test_the_old_folder_layout_gives_each_kernel_once_with_model_and_trace(
    tmp_path: Path,
) -> None:
    add = Made("triton_poi_fused_add_relu_0")
    write_trace(tmp_path / "resnet" / "resnet__0_inference_0.0", add, copies=True)

    (trace,) = read_debug_folder(tmp_path)

    assert (trace.model, trace.name, trace.problems) == ("resnet", "resnet__0_inference_0.0", ())
    (kernel,) = trace.kernels
    assert (kernel.model, kernel.trace, kernel.name) == (trace.model, trace.name, add.name)
    assert kernel.source == add.source
    assert kernel.origins.aten == ("aten.add", "aten.relu")
    assert kernel.origins.nodes == ("add", "out")
    assert kernel.origins.mapping == (("add", ("add",)), ("out", ("full_default", "relu")))
    assert kernel.origins.fragment.splitlines()[1].startswith("%relu : [num_users=1]")


def test_a_kernels_line_is_where_its_source_begins(tmp_path: Path) -> None:
    write_trace(tmp_path / "m" / "t", Made("triton_a_0"), Made("triton_b_1", "tmp0 * 2"))

    for kernel in kernels(list(read_debug_folder(tmp_path))):
        lines = (tmp_path / kernel.path).read_text().splitlines()
        source = kernel.source.splitlines()
        assert lines[kernel.line - 1 : kernel.line - 1 + len(source)] == source


def test_deduplication_by_identity_removes_more_than_by_exact_text(tmp_path: Path) -> None:
    plus = Made("triton_poi_fused_add_0")
    renamed = Made("triton_poi_fused_add_7")
    elsewhere = Made("triton_poi_fused_add_0", device=DEVICE_B, backend_hash="CD34")
    times = Made("triton_poi_fused_add_0", body="tmp0 * 2.0")
    write_trace(
        tmp_path / "a" / "a__0_inference_0.0", plus, Made("triton_poi_fused_mul_1", "-tmp0")
    )
    write_trace(tmp_path / "b" / "b__0_inference_0.0", plus, renamed, copies=True)
    write_trace(tmp_path / "c" / "c__1_forward_1.1", elsewhere)
    write_trace(tmp_path / "d" / "d__1_forward_1.1", times)

    found = kernels(list(read_debug_folder(tmp_path)))

    assert len(found) == 6
    assert len({kernel.source for kernel in found}) == 5
    assert len({identity_source(kernel.source) for kernel in found}) == 3


def test_a_torch_compile_debug_folder_is_read_with_its_runs(tmp_path: Path) -> None:
    run = tmp_path / "torch_compile_debug" / "run_2026_01_01_00_00_00_000000-pid_7"
    trace = write_trace(run / "torchinductor" / "model__2_backward_5.3", Made("triton_red_fused_0"))
    (trace / "fx_graph_runnable.py").write_text("import torch\n")
    (trace / "ir_pre_fusion.txt").write_text("op0: SchedulerNode")
    (run / "torchdynamo").mkdir()
    (run / "torchdynamo" / "debug.log").write_text("")

    (found,) = read_debug_folder(tmp_path)

    assert (found.model, found.name) == ("model", "model__2_backward_5.3")
    assert found.graph is not None and found.graph.path.endswith("fx_graph_readable.py")


def test_a_cache_folder_gives_kernels_with_and_without_a_module(
    tmp_path: Path,
) -> None:
    known, alone = Made("triton_poi_fused_0"), Made("triton_per_fused_1", "tmp0 - 1")
    cache = tmp_path / "torchinductor_me"
    for name, text in (
        ("ab/" + known.file, known.source),
        ("cd/cmodule.py", module(known)),
        ("ef/" + alone.file, "\n" + alone.source),
        ("ef/other.py", "import torch\n"),
    ):
        (cache / name).parent.mkdir(parents=True, exist_ok=True)
        (cache / name).write_text(text)

    found = kernels(list(read_debug_folder(cache)))

    assert [(k.name, k.path) for k in found] == [
        ("triton_poi_fused_0", "cd/cmodule.py"),
        ("triton_per_fused_1", f"ef/{alone.file}"),
    ]
    assert found[1].source == alone.source
    assert found[1].line == 2


def test_a_user_kernel_keeps_its_escapes_and_its_original_path(
    tmp_path: Path,
) -> None:
    text = (
        "# Original path: /home/me/mine.py:12\n"
        "mine_0 = async_compile.triton('mine', '''\n"
        "def mine(x):\n    s = \"a\\\\n\" + \\'\\'\\'doc\\'\\'\\'\n''', device_str='cuda')\n"
    )
    (tmp_path / "output_code.py").write_text(text)

    (kernel,) = kernels(list(read_debug_folder(tmp_path)))

    assert kernel.name == "mine_0"
    assert kernel.source == "def mine(x):\n    s = \"a\\n\" + '''doc'''\n"
    assert kernel.origins.user_path == "/home/me/mine.py:12"


def test_a_broken_statement_loses_only_its_own_kernel(tmp_path: Path) -> None:
    good, other = Made("triton_good_0"), Made("triton_good_1", "tmp0 * 3")
    broken = "\ntriton_bad_2 = async_compile.triton('triton_bad_2', f(\n\n"
    (tmp_path / "output_code.py").write_text(module(good) + broken + other.call)

    (trace,) = read_debug_folder(tmp_path)

    assert good.source in {kernel.source for kernel in trace.kernels}
    assert any("1 of its kernels could not be read" in p.reason for p in trace.problems)


def test_unreadable_debug_files_are_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    write_trace(tmp_path / "m" / "no_graph", Made("triton_poi_fused_0"), graph="")
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\nx = async_compile.triton('x', '''y''')\n")
    (tmp_path / "large.py").write_bytes(b"#" * 10_001)
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe.py")

    traces = list(read_debug_folder(tmp_path, Limits(file_bytes=10_000)))

    assert len(kernels(traces)) == 1
    assert {(p.path, p.reason) for trace in traces for p in trace.problems} == {
        ("latin.py", "it is not UTF-8 text"),
        ("large.py", "it is larger than 10000 bytes"),
        ("m/no_graph", "the graph it was compiled from is not beside it"),
    }


def test_a_debug_folder_without_kernels_gives_no_trace(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")

    assert list(read_debug_folder(tmp_path)) == []


def test_a_missing_debug_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FolderUnreadable, match="no folder"):
        list(read_debug_folder(tmp_path / "nowhere"))


def test_a_debug_folder_with_too_many_files_is_skipped_with_a_reason(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.py").write_text("")

    (trace,) = read_debug_folder(tmp_path, Limits(files=2))

    assert "more than 2" in trace.problems[0].reason
