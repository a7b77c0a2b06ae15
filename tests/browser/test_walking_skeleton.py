"""One thin path through every room: from a repository to a line of the exported file."""

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Browse
from tests.conftest import commit
from tests.curation.operations.house import House, manage
from tests.waiting import wait_for


@pytest.mark.any_database
@pytest.mark.slow
def test_an_approved_kernel_passes_from_ingest_to_the_exported_file(
    installation: House, browse: Browse, kernel_folder: Path, tmp_path: Path
) -> None:
    address, page = f"http://127.0.0.1:{installation.port}", browse()

    def run(*arguments: str) -> str:
        done = manage(installation.data, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    # A curator reads a repository by its path, so that the admin knows it.
    source = (kernel_folder / "add.py").read_text()
    (kernel_folder / "add.py").write_text(f"# SPDX-License-Identifier: MIT\n{source}")
    commit(kernel_folder)
    assert "1 kernel," in run("ingest", str(kernel_folder), "--now")
    twice = (kernel_folder / "add.py").read_text().replace("x + y", "x + 2 * y")
    (kernel_folder / "twice.py").write_text(twice.replace("add_kernel", "twice_kernel"))
    commit(kernel_folder)

    # The one-time password opens the site.
    queue = f"{address}/?{urlencode({'repository': str(kernel_folder)})}"
    page.goto(queue)
    page.get_by_label("Name").fill("curator")
    page.get_by_label("Password").fill((installation.data / "first_password").read_text())
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="add_kernel")).to_be_visible()

    # The admin lists the sources, and queues an ingest through Redis.
    page.get_by_role("link", name="Admin").click()
    page.get_by_role("link", name="Repositories", exact=True).first.click()
    expect(page.get_by_role("link", name="triton-lang/triton")).to_be_visible()
    page.get_by_role("row").filter(has_text=str(kernel_folder)).get_by_role("checkbox").check()
    page.locator("select[name=action]").select_option(label="Queue ingest")
    page.get_by_role("button", name="Go").click()
    page.goto(f"{address}/runs/?kind=ingest")

    def both_are_done() -> bool:
        page.reload()
        return page.get_by_role("cell", name="Succeeded").count() == 2

    wait_for("both ingests succeed", both_are_done)

    # Its kernels are decided on, one after the other.
    page.goto(queue)
    expect(page.locator(".source")).to_contain_text("@triton.jit")
    page.get_by_role("button", name="Approve").click()
    expect(page.locator(".messages")).to_contain_text("add_kernel is approved")
    expect(page.get_by_role("heading", name="twice_kernel")).to_be_visible()
    page.get_by_label("Comment").fill("the same with a factor")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("heading", name="The queue is empty")).to_be_visible()

    # What was approved, and nothing else, stands in the file.
    run("export_dataset", "--out", str(tmp_path / "out"))
    records = json.loads((tmp_path / "out" / "triton_functions.json").read_text())
    assert len(records) == 1
    assert "def add_kernel(" in records[0]["input"]
