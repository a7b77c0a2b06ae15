"""Compiled tab of a kernel: what its binary uses, and the compiler's outputs."""

import zlib

import pytest
from django.test import Client

from curation.models import CompiledText, Device, Kernel
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

FIGURES = {
    "registers": 255, "local_bytes": 1408, "shared_bytes": 32768, "warps": 4, "occupancy": 0.125,
}  # fmt: skip


@pytest.fixture
def kernel(client: Client) -> Kernel:
    client.force_login(make.a_reviewer())
    kernel = make.a_kernel()
    result = make.a_validation_result(
        run=make.a_validation_run(device=Device.COMPILER),
        kernel=kernel,
        content_hash=kernel.content_hash,
        figures=FIGURES,
    )
    for name, text in (("ttgir", "tt.func @k"), ("ptx", "ld.global.b32 %r1, [%rd1];")):
        CompiledText.objects.create(
            result=result, name=name, compressed=zlib.compress(text.encode())
        )
    return kernel


def test_the_tab_shows_resources_and_both_outputs(client: Client, kernel: Kernel) -> None:
    page = client.get(f"{kernel.get_absolute_url()}?tab=compiled").content.decode()

    assert "255 registers a thread" in page
    assert "1,408 bytes of local memory a thread" in page
    assert "32,768 bytes of shared memory" in page
    assert "12% occupancy of sm_90" in page
    assert "tt.func @k" in page
    assert "ld.global.b32 %r1, [%rd1];" in page


def test_one_output_can_fill_the_tab(client: Client, kernel: Kernel) -> None:
    page = client.get(f"{kernel.get_absolute_url()}?tab=compiled&file=ptx").content.decode()

    assert "ld.global.b32" in page
    assert "tt.func @k" not in page


def test_the_badge_names_the_registers(client: Client, kernel: Kernel) -> None:
    page = client.get(kernel.get_absolute_url()).content.decode()

    assert "255 registers" in page


def test_a_kernel_without_known_resources_has_no_such_tab(client: Client) -> None:
    client.force_login(make.a_reviewer())

    page = client.get(make.a_kernel().get_absolute_url()).content.decode()

    assert "tab=compiled" not in page
