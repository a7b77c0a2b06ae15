"""Kernels get their hardware when they come in, and keep up with where they are."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from curation.models import Kernel, Pair
from ingest.classify import hardware_of_text
from tests.conftest import commit
from tests.factories import a_pair

pytestmark = pytest.mark.django_db


@pytest.fixture
def ascend_folder(kernel_folder: Path) -> Path:
    """The kernel of `kernel_folder`, in a backend's folder."""
    (kernel_folder / "_ascend").mkdir()
    (kernel_folder / "add.py").rename(kernel_folder / "_ascend" / "add.py")
    commit(kernel_folder)
    return kernel_folder


def read(folder: Path) -> None:
    call_command("ingest", str(folder), "--now", verbosity=0)


def hardware() -> str:
    return Kernel.objects.get().hardware


def test_a_kernel_in_a_backends_folder_is_for_that_backend(ascend_folder: Path) -> None:
    read(ascend_folder)

    kernel = Kernel.objects.get()
    assert (kernel.hardware, kernel.min_triton) == ("ascend", "3.0")


def test_the_hardware_of_a_kernel_and_its_pairs_follows_its_paths(ascend_folder: Path) -> None:
    read(ascend_folder)
    a_pair(kernel=Kernel.objects.get(), hardware="ascend")
    text = (ascend_folder / "_ascend" / "add.py").read_text()

    (ascend_folder / "add.py").write_text(text)
    commit(ascend_folder)
    read(ascend_folder)
    assert (hardware(), Pair.objects.get().hardware) == ("cuda", "cuda")

    (ascend_folder / "add.py").unlink()
    commit(ascend_folder)
    read(ascend_folder)
    assert (hardware(), Pair.objects.get().hardware) == ("ascend", "ascend")


@pytest.mark.django_db(transaction=True)
def test_no_text_is_parsed_while_a_transaction_is_open(
    ascend_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_transaction = []

    def recorded(text: str) -> str:
        in_transaction.append(connection.in_atomic_block)
        return hardware_of_text(text)

    monkeypatch.setattr("ingest.persist.hardware.hardware_of_text", recorded)

    read(ascend_folder)

    assert in_transaction == [False]
    assert hardware() == "ascend"


def test_a_kernel_also_in_a_generic_place_is_for_cuda(ascend_folder: Path, tmp_path: Path) -> None:
    read(ascend_folder)
    other = tmp_path / "other"
    other.mkdir()
    (other / "add.py").write_text((ascend_folder / "_ascend" / "add.py").read_text())
    commit(other)
    read(other)

    assert hardware() == "cuda"


def test_a_recheck_fills_in_missing_hardware_and_triton_release(ascend_folder: Path) -> None:
    read(ascend_folder)
    Kernel.objects.update(hardware="cuda", min_triton="")
    call_command("recheck", now=True, verbosity=0)

    kernel = Kernel.objects.get()
    assert (kernel.hardware, kernel.min_triton) == ("ascend", "3.0")


def test_hardware_named_in_the_text_does_not_depend_on_the_path(kernel_folder: Path) -> None:
    file = kernel_folder / "add.py"
    file.write_text(file.read_text().replace("tl.program_id", "tl.extra.hip.program_id"))
    commit(kernel_folder)
    read(kernel_folder)

    assert hardware() == "hip"
