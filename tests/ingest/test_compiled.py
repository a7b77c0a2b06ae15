"""`manage.py ingest_inductor`: a generated kernel is one row, with all places it was emitted."""

import ast
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Model
from hypothesis import given
from hypothesis import strategies as st

from curation.errors import CurationError
from curation.models import Kernel, Origin, Provenance, Repository
from ingest.compiled import identity_source

DEVICE_A = "type='cuda', index=0, cc=90, major=9, multi_processor_count=132, warp_size=32"
DEVICE_B = "type='cuda', index=3, cc=80, major=8, multi_processor_count=108, warp_size=32"


@dataclass(frozen=True, slots=True)
class Made:
    """A kernel to write. Kernels with the same body and number of elements are one."""

    name: str
    body: str = "tmp0 + 1.0"
    device: str = DEVICE_A
    backend_hash: str = "AB12"
    numel: int = 32

    @property
    def source(self) -> str:
        return f"""\
import triton
import triton.language as tl
from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.hints import DeviceProperties

@triton.jit
def _triton_helper_fn_add0(arg0, arg1):
    return arg0 + arg1

@triton_heuristics.pointwise(
    size_hints=[{self.numel}],
    filename=__file__,
    triton_meta={{'signature': {{'in_ptr0': '*fp32'}}, 'device': DeviceProperties({self.device})}},
    inductor_meta={{'autotune_hints': set(), 'kernel_name': '{self.name}', 'num_load': 1, 'backend_hash': '{self.backend_hash}'}},
    min_elem_per_thread=0
)
@triton.jit
def {self.name}(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xnumel = {self.numel}
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    tmp0 = tl.load(in_ptr0 + (xindex), xindex < xnumel)
    tl.store(out_ptr0 + (xindex), _triton_helper_fn_add0({self.body}, 0), xindex < xnumel)
"""  # noqa: E501

    @property
    def identity(self) -> str:
        return identity_source(self.name, self.source)


def write_trace(folder: Path, *kernels: Made) -> None:
    folder.mkdir(parents=True)
    calls = (
        f"{kernel.name} = async_compile.triton('{kernel.name}', '''\n{kernel.source}''',"
        " device_str='cuda')\n"
        for kernel in kernels
    )
    head = "from torch._inductor.async_compile import AsyncCompile\nasync_compile = AsyncCompile()"
    (folder / "output_code.py").write_text("\n\n".join([head, *calls, "def call(args): ..."]))
    (folder / "fx_graph_readable.py").write_text("class <lambda>(torch.nn.Module): ...\n")
    (folder / "fx_graph_runnable.py").write_text(kernels[0].source)


@pytest.fixture
def scrape(tmp_path: Path) -> Path:
    """Four kernels, three texts, two kernels."""
    folder = tmp_path / "scrape"
    poi = Made("triton_poi_fused_add_0")
    write_trace(folder / "bert" / "1", poi, Made("triton_poi_fused_relu_1", body="tmp0 * 2.0"))
    write_trace(folder / "bert" / "2", Made("triton_poi_fused_add_7", device=DEVICE_B))
    write_trace(folder / "gpt" / "1", poi)
    return folder


def read(folder: Path) -> None:
    call_command("ingest_inductor", str(folder), verbosity=0)


@pytest.mark.django_db
def test_a_kernel_under_several_names_is_one_row_with_several_places(scrape: Path) -> None:
    read(scrape)

    assert Provenance.objects.count() == 4
    assert Provenance.objects.values("sha256").distinct().count() == 3
    assert Kernel.objects.count() == 2


@pytest.mark.django_db
def test_a_kernel_in_a_file_of_its_own_is_the_kernel_in_the_module(scrape: Path) -> None:
    (scrape / "cab.py").write_text(f"\n{Made('triton_poi_fused_add_0').source}")
    read(scrape)

    assert Kernel.objects.count() == 2
    assert Kernel.objects.get(provenances__source_file__path="cab.py").provenances.count() == 4


@pytest.mark.django_db
def test_a_compiled_kernel_has_its_exact_lines(scrape: Path) -> None:
    read(scrape)

    place = Provenance.objects.select_related("source_file").earliest("pk")
    lines = (scrape / place.source_file.path).read_text().split("\n")
    inside = "\n".join(lines[place.start_line - 1 : place.end_line])
    assert inside.startswith("@triton_heuristics.pointwise(\n")
    assert "tl.store" in inside.split("\n")[-1]
    assert (place.container, place.kernel.name) == ("string", "triton_poi_fused_add_0")


@pytest.mark.django_db
def test_the_unit_of_a_compiled_kernel_stands_alone(scrape: Path) -> None:
    read(scrape)

    for kernel in Kernel.objects.all():
        assert kernel.standalone
        assert "@triton_heuristics.pointwise(" in kernel.standalone_source
        assert "def _triton_helper_fn_add0(" in kernel.standalone_source
        compile(kernel.standalone_source, "unit", "exec")


@pytest.mark.django_db
def test_a_compiled_source_has_the_inductor_origin_and_category(scrape: Path) -> None:
    read(scrape)

    repository = Repository.objects.get()
    assert (repository.origin, repository.category) == (Origin.INDUCTOR, "inductor")


@pytest.mark.django_db
def test_ingesting_compiled_kernels_again_changes_no_row(scrape: Path) -> None:
    tables: tuple[type[Model], ...] = (Kernel, Provenance)
    seen = []
    for _ in range(2):
        read(scrape)
        seen.append([list(table._default_manager.order_by("pk").values()) for table in tables])

    assert seen[0] == seen[1]


@pytest.mark.django_db
def test_folders_without_compiled_kernels_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="There is no folder /no/such"):
        read(Path("/no/such"))
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(CommandError, match="holds no output of torch.compile"):
        read(tmp_path)


KERNEL = Made("triton_poi_fused_add_3")


@pytest.mark.parametrize(
    "other",
    [
        replace(KERNEL, name="triton_poi_fused_add_14"),
        replace(KERNEL, name="triton_"),
        replace(KERNEL, device=DEVICE_B),
        replace(KERNEL, backend_hash="FFFF"),
    ],
)
def test_names_devices_and_hashes_do_not_change_the_identity(other: Made) -> None:
    assert other.source != KERNEL.source
    assert other.identity == KERNEL.identity


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("tmp0 + 1.0", "tmp0 + 2.0"),
        ("size_hints=[32]", "size_hints=[64]"),
        ("'num_load': 1", "'num_load': 2"),
        ("'in_ptr0': '*fp32'", "'in_ptr0': '*bf16'"),
        ("pointwise", "reduction"),
        ("XBLOCK : tl.constexpr", "XBLOCK"),
        ("min_elem_per_thread=0", "min_elem_per_thread=1"),
    ],
)
def test_every_hint_and_type_changes_the_identity(line: str, changed: str) -> None:
    source = KERNEL.source.replace(line, changed)

    assert identity_source(KERNEL.name, source) != KERNEL.identity


def test_the_identity_keeps_a_kernel_name_given_by_a_person() -> None:
    source = KERNEL.source.replace("def triton_poi_fused_add_3", "def my_kernel")

    assert "def my_kernel(" in identity_source("my_kernel", source)


@given(st.permutations(["'kernel_name': 'triton_poi_fused_add_3'", "'num_load': 1",
                        "'backend_hash': 'AB12'", "'x': {}"]))  # fmt: skip
def test_the_identity_is_valid_python_at_any_position_of_the_name_hint(pairs: list[str]) -> None:
    start = KERNEL.source.index("inductor_meta={") + len("inductor_meta={")
    end = KERNEL.source.index("}", start)
    source = KERNEL.source[:start] + ", ".join(pairs) + KERNEL.source[end:]

    identity = identity_source(KERNEL.name, source)

    ast.parse(identity)
    assert "kernel_name" not in identity and "AB12" not in identity
    assert "'num_load': 1" in identity
    assert identity_source(KERNEL.name, identity) == identity
