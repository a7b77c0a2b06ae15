"""The plain folders: which files stand there, where, and what the manifest says of them."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from curation.errors import CurationError
from curation.export.extract import FOLDER, extract
from curation.models import (
    Category,
    Kernel,
    Language,
    License,
    LicenseVerdict,
    Origin,
    Repository,
    SourceFile,
    SourceText,
)
from tests import factories as make
from tests.curation.export.writing import hashes, manifest

pytestmark = pytest.mark.django_db

TEXT = "import triton\n\n\n@triton.jit\ndef {name}(x):\n    pass\n"


def a_file(repository: Repository, path: str, text: str | None = None) -> SourceFile:
    """A file of this text, which holds nothing that anybody knows of."""
    text = TEXT.format(name=f"k_{make.sha((repository.pk, path))[:8]}") if text is None else text
    digest = hashlib.sha256(text.encode()).hexdigest()
    if not SourceText.objects.filter(sha256=digest).exists():
        make.a_source_text(sha256=digest, text=text)
    return make.a_source_file(
        repository=repository, path=path, sha256=digest, size=len(text), lines=text.count("\n")
    )


def mit() -> License:
    return License.objects.filter(expression="MIT").first() or make.a_license(
        expression="MIT", text="Permission is hereby granted.\n"
    )


def a_licensed_kernel(**over: Any) -> Kernel:
    values = {"license_verdict": LicenseVerdict.PERMISSIVE, "license": mit()}
    return make.a_kernel(**values | over)


def a_kernel_file(
    repository: Repository,
    path: str = "kernels/add.py",
    text: str | None = None,
    verdict: str = LicenseVerdict.PERMISSIVE,
    **place: Any,
) -> SourceFile:
    """A file that holds a kernel, which has this licence there."""
    file = a_file(repository, path, text)
    make.a_provenance(
        source_file=file,
        kernel=place.pop("kernel", None) or a_licensed_kernel(license_verdict=verdict),
        license=mit(),
        license_verdict=verdict,
        copyrights=["Copyright (c) 2024 Ada"],
        **place,
    )
    return file


def extracted(out: Path) -> Path:
    extract(out)
    return out / FOLDER


def files_in(folder: Path) -> list[str]:
    return [path for path in hashes(folder) if path.split("/")[0] in Category.values]


def test_a_file_with_a_kernel_is_extracted_below_its_category(tmp_path: Path) -> None:
    file = a_kernel_file(make.a_repository(category=Category.TUTORIAL), "python/tutorials/add.py")

    folder = extracted(tmp_path)

    written = (folder / "tutorial/python/tutorials/add.py").read_text()
    assert written == SourceText.objects.get(sha256=file.sha256).text
    assert sorted(p.name for p in folder.iterdir() if p.name in Category.values) == sorted(
        Category.values
    )


def test_a_notebook_is_extracted_as_the_python_of_its_code_cells(tmp_path: Path) -> None:
    a_kernel_file(make.a_repository(category=Category.TUTORIAL), "a.ipynb")

    assert files_in(extracted(tmp_path)) == ["tutorial/a.ipynb.py"]


@pytest.mark.parametrize(
    ("declared", "written_as"),
    [("latin-1", "latin-1"), ("utf-8", "utf-8"), ("unicode_escape", "utf-8"), ("none", "utf-8")],
)
def test_a_file_is_written_in_the_encoding_that_it_declares(
    declared: str, written_as: str, tmp_path: Path
) -> None:
    text = f"# -*- coding: {declared} -*-\nNAME = 'Zoë'\n"
    a_kernel_file(make.a_repository(category=Category.TUTORIAL), "add.py", text)

    folder = extracted(tmp_path)

    assert (folder / "tutorial/add.py").read_bytes() == text.encode(written_as)


def test_the_extraction_manifest_lists_each_file_with_its_source(tmp_path: Path) -> None:
    repository = make.a_repository(name="ada/kernels", category=Category.JAX)
    text = "# größer\n" + TEXT.format(name="add")
    row = a_kernel_file(repository, "k/a b.py", text)
    SourceFile.objects.update(created_at=datetime(2026, 11, 1, 12, 30, 15, 99, tzinfo=UTC))

    folder = extracted(tmp_path)

    said = manifest(folder)
    assert said["created"] == "2026-11-01T12:30:15+00:00"
    assert said["extraction_dir"] == FOLDER
    assert (said["total_files"], said["total_lines"]) == (1, 7)
    assert list(said["categories"]) == list(Category.values)
    jax = said["categories"]["jax"]
    assert (jax["total_files"], jax["total_size_bytes"]) == (1, len(text.encode()))
    (file,) = jax["files"]
    data = (folder / file["path"]).read_bytes()
    assert file == {
        "path": "jax/k/a b.py",
        "size_bytes": len(data),
        "lines": 7,
        "has_triton_jit": True,
        "hash_sha256": hashlib.sha256(data).hexdigest(),
        "source": {
            "repository": "ada/kernels",
            "commit": "c" * 40,
            "path": "k/a b.py",
            "sha256": row.sha256,
            "url": f"https://github.com/ada/kernels/blob/{'c' * 40}/k/a%20b.py#L1-L7",
            "license": "MIT",
            "notice": file["source"]["notice"],
            "kernels": 1,
        },
    }


def test_an_extraction_includes_notice_and_license_text(tmp_path: Path) -> None:
    a_kernel_file(make.a_repository(name="ada/kernels"))

    folder = extracted(tmp_path)

    key = manifest(folder)["categories"]["utils"]["files"][0]["source"]["notice"]
    notice = (folder / "NOTICE").read_text()
    assert f"[{key}] ada/kernels" in notice
    assert "Copyright (c) 2024 Ada" in notice
    assert "1 file\n" in notice
    (text,) = (folder / "licenses").iterdir()
    assert "Permission is hereby granted." in text.read_text()
    assert {file["path"] for file in manifest(folder)["files"]} == {
        "NOTICE",
        f"licenses/{text.name}",
    }


def a_pallas_kernel() -> None:
    a_kernel_file(make.a_repository(), kernel=a_licensed_kernel(language=Language.PALLAS))


def a_file_with_one_excluded_kernel() -> None:
    file = a_kernel_file(make.a_repository())
    make.a_provenance(source_file=file, license_verdict=LicenseVerdict.CONFLICT)


def a_kernel_blocked_elsewhere() -> None:
    kernel = a_licensed_kernel(license_verdict=LicenseVerdict.BLOCKED)
    a_kernel_file(make.a_repository(), kernel=kernel)


def a_license_blocked_later() -> None:
    a_kernel_file(make.a_repository())
    License.objects.update(verdict=LicenseVerdict.BLOCKED)


def opted_out_files_and_a_copy() -> None:
    kernel = a_licensed_kernel()
    a_kernel_file(make.a_repository(opted_out_at=timezone.now()))
    a_kernel_file(make.a_repository(), "a.py", kernel=kernel, opted_out=True)
    a_kernel_file(make.a_repository(), "copy.py", kernel=kernel)


def files_without_a_current_kernel() -> None:
    repository = make.a_repository()
    a_file(repository, "setup.py", "x = 1\n")
    a_kernel_file(repository, "moved.py", retired_at=timezone.now())
    gone = a_kernel_file(repository, "gone.py")
    SourceFile.objects.filter(pk=gone.pk).update(retired_at=timezone.now())


def a_file_without_stored_text() -> None:
    a_kernel_file(make.a_repository())
    SourceText.objects.all().delete()


@pytest.mark.parametrize(
    ("rows", "left_out"),
    [
        (lambda: a_kernel_file(make.a_repository(), verdict="blocked"), {"license-blocked": 1}),
        (lambda: a_kernel_file(make.a_repository(), verdict="conflict"), {"license-conflict": 1}),
        (lambda: a_kernel_file(make.a_repository(), verdict="unknown"), {"license-unknown": 1}),
        (a_file_with_one_excluded_kernel, {"license-conflict": 1}),
        (a_kernel_blocked_elsewhere, {"license-blocked": 1}),
        (a_license_blocked_later, {"license-blocked": 1}),
        (lambda: a_kernel_file(make.a_benchmark()), {"benchmark": 1}),
        (opted_out_files_and_a_copy, {"opted-out": 3}),
        (files_without_a_current_kernel, {"no-kernel": 2}),
        (a_file_without_stored_text, {"no-text": 1}),
        (a_pallas_kernel, {"no-kernel": 1}),
    ],
)
def test_a_file_that_may_not_be_distributed_is_left_out_with_its_reason(
    rows: Callable[[], object], left_out: dict[str, int], tmp_path: Path
) -> None:
    rows()

    folder = extracted(tmp_path)

    assert files_in(folder) == []
    assert manifest(folder)["left_out"] == left_out
    assert manifest(folder)["categories"]["utils"]["left_out"] == left_out


def test_a_license_in_another_repository_does_not_permit_this_file(tmp_path: Path) -> None:
    """The same kernel in two repositories, one of which says nothing about licences."""
    kernel = a_licensed_kernel()
    a_kernel_file(make.a_repository(category=Category.JAX), kernel=kernel)
    a_kernel_file(make.a_repository(), verdict=LicenseVerdict.UNKNOWN, kernel=kernel)

    assert files_in(extracted(tmp_path)) == ["jax/kernels/add.py"]


def test_an_extraction_contains_no_local_path(tmp_path: Path) -> None:
    folder = make.a_repository(
        name="/home/ada/secret/kernels", url="/home/ada/secret/kernels", origin=Origin.FOLDER
    )
    a_kernel_file(folder)
    a_kernel_file(folder, "cached.py", "# /home/ada/cache\n" + TEXT.format(name="cached"))

    written = extracted(tmp_path)

    assert manifest(written)["left_out"] == {"local-path": 1}
    assert manifest(written)["categories"]["utils"]["files"][0]["source"]["url"] == ""
    every = b"".join(path.read_bytes() for path in written.rglob("*") if path.is_file())
    assert b"/home" not in every
    assert b"local/kernels" in every


def test_a_file_with_a_hostile_path_is_not_extracted(tmp_path: Path) -> None:
    repository = make.a_repository()
    paths = ("../evil.py", "/tmp/evil.py", "a/../../../evil.py", ".git/hooks/evil.py", "a" * 300)
    for path in paths:
        a_kernel_file(repository, path)
    a_kernel_file(repository, "MANIFEST.json")

    folder = extracted(tmp_path / "out")

    assert files_in(folder) == ["utils/MANIFEST.json"]
    assert manifest(folder)["left_out"] == {"unwritable-path": len(paths)}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_with_colliding_paths_are_both_extracted(tmp_path: Path) -> None:
    one, two = (
        make.a_repository(name=f"ada/{n}", category=Category.XFORMERS) for n in ("one", "Two")
    )
    for repository, path in ((one, "add.py"), (one, "Add.py"), (two, "add.py")):
        a_kernel_file(repository, path)

    assert files_in(extracted(tmp_path)) == [
        "xformers/ada/Two/add.py",
        "xformers/ada/one/Add.py",
        "xformers/ada/one/add~2.py",
    ]


def some_files(order: list[int]) -> None:
    repositories = [make.a_repository(name=f"ada/{n}", category=Category.UTILS) for n in range(2)]
    for number in order:
        text = TEXT.format(name=f"add_{number}")
        a_kernel_file(repositories[number % 2], f"k/{number}.py", text)
    SourceFile.objects.update(created_at=datetime(2026, 11, 1, tzinfo=UTC))


# SQLite and PostgreSQL and each Python must agree on it.
DIGEST = "8d788387f4f4dcf6052f1668afda2ee8c8ac5dfc120faeab07fa83903d84df44"


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 2, 0, 3, 1]])
def test_the_extracted_bytes_do_not_depend_on_the_row_order(
    order: list[int], tmp_path: Path
) -> None:
    some_files(order)

    first = hashes(extracted(tmp_path))

    assert hashlib.sha256(json.dumps(first).encode()).hexdigest() == DIGEST
    assert hashes(extracted(tmp_path)) == first
    assert hashes(extracted(tmp_path / "other")) == first


def test_only_an_unchanged_earlier_extraction_is_replaced(tmp_path: Path) -> None:
    a_kernel_file(make.a_repository(), "old.py")
    folder = extracted(tmp_path)
    SourceFile.objects.update(retired_at=timezone.now())
    a_kernel_file(make.a_repository(), "new.py")

    assert files_in(extracted(tmp_path)) == ["utils/new.py"]

    (folder / "utils" / "mine.py").write_text("precious")
    with pytest.raises(CurationError, match="is not an unchanged export"):
        extract(tmp_path)
    assert (folder / "utils" / "mine.py").read_text() == "precious"
