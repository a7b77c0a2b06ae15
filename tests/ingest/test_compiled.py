"""`manage.py ingest_inductor`: generated kernels come in once, with the graph they came from."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db.models import Model

from curation.errors import CurationError
from curation.models import CompiledGraph, Kernel, Origin, Provenance, Repository
from tests.ingest.inductor.trees import DEVICE_B, Made, write_trace

pytestmark = pytest.mark.django_db


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


def test_a_kernel_under_several_names_is_one_row_with_several_places(scrape: Path) -> None:
    read(scrape)

    assert Provenance.objects.count() == 4
    assert Provenance.objects.values("sha256").distinct().count() == 3
    assert Kernel.objects.count() == 2


def test_a_compiled_kernel_has_its_lines_graph_and_operations(scrape: Path) -> None:
    read(scrape)

    place = Provenance.objects.select_related("graph", "source_file").earliest("pk")
    lines = (scrape / place.source_file.path).read_text().split("\n")
    inside = "\n".join(lines[place.start_line - 1 : place.end_line])
    assert inside.startswith("import triton\n")
    assert "tl.store" in inside.split("\n")[-1]
    assert place.container == "string"
    assert place.origins["aten"] == ["aten.add", "aten.relu"]
    assert place.graph is not None
    assert (place.graph.model, place.graph.trace) == ("bert", "1")
    assert place.graph.module.startswith("import torch")


def test_the_unit_of_a_compiled_kernel_is_the_module_that_torch_wrote(scrape: Path) -> None:
    read(scrape)

    for kernel in Kernel.objects.all():
        assert kernel.standalone
        assert "@triton_heuristics.pointwise(" in kernel.standalone_source
        compile(kernel.standalone_source, "unit", "exec")


def test_a_compiled_source_has_the_inductor_origin_and_category(scrape: Path) -> None:
    read(scrape)

    repository = Repository.objects.get()
    assert (repository.origin, repository.category) == (Origin.INDUCTOR, "inductor")


def test_ingesting_compiled_kernels_again_changes_no_row(scrape: Path) -> None:
    tables: tuple[type[Model], ...] = (Kernel, Provenance, CompiledGraph)
    seen = []
    for _ in range(2):
        read(scrape)
        seen.append([list(table._default_manager.order_by("pk").values()) for table in tables])

    assert seen[0] == seen[1]


def test_a_missing_folder_is_refused_with_a_sentence() -> None:
    with pytest.raises(CurationError, match="There is no folder /no/such"):
        call_command("ingest_inductor", "/no/such")
