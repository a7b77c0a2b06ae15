"""What the ecosystem's own loaders read: counted and hashed against the manifest."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pandas as pd
import pyarrow.parquet as pq
import pytest
from django.db import transaction

from curation.export.schema import KERNEL, pair_columns
from curation.models import LicenseVerdict, Origin, Repository
from curation.tokens import count_tokens
from tests import factories as make
from tests.curation.export.writing import (
    a_seen_kernel,
    differing,
    every,
    export,
    manifest,
    reasons,
    records,
    some_rows,
)

pytestmark = [pytest.mark.django_db(transaction=False), pytest.mark.any_database]
FORMATS = "torchtune,jsonl,parquet,alpaca,kernelbook,trl,prompts"
EVERYTHING = ("--format", FORMATS, "--splits", "60/20/20")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_DATASETS_DISABLE_PROGRESS_BARS"):
        monkeypatch.setenv(name, "1")


@pytest.fixture(scope="module")
def folder(
    tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, django_db_blocker: Any
) -> Path:
    """An export of all formats, for the tests that only read."""
    with django_db_blocker.unblock(), transaction.atomic():
        some_rows(20, 20)
        written = export(tmp_path_factory.mktemp("formats") / "out", *EVERYTHING)
        transaction.set_rollback(True)
    return written


def load(*arguments: Any, tmp_path: Path, **options: Any) -> Any:
    return datasets.load_dataset(*arguments, cache_dir=str(tmp_path / "cache"), **options)


def test_the_manifest_lists_every_file_with_its_hash_and_size(folder: Path) -> None:
    listed = {file["path"]: file for file in manifest(folder)["files"]}
    present = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}

    assert set(listed) == present - {"MANIFEST.json"}
    for path, file in listed.items():
        data = (folder / path).read_bytes()
        assert hashlib.sha256(data).hexdigest() == file["sha256"]
        assert len(data) == file["bytes"]
        if path.endswith(".jsonl"):
            assert data.count(b"\n") == file["lines"] == file["records"] or path[0] == "R"


def test_the_tokens_of_a_file_are_those_of_its_texts(folder: Path) -> None:
    tokens = {file["path"]: file["tokens"] for file in manifest(folder)["files"]}
    rows = records(folder / "alpaca" / "train.jsonl")
    prompts = json.loads((folder / "torchtune" / "prompts_train.json").read_text())
    chats = json.loads((folder / "torchtune" / "chat_train.json").read_text())

    assert rows and prompts and chats
    assert tokens["alpaca/train.jsonl"] == sum(
        count_tokens(text) for row in rows for text in row.values()
    )
    in_prompts = sum(count_tokens(prompt["input"]) for prompt in prompts)
    assert tokens["torchtune/prompts_train.json"] == tokens["prompts/train.jsonl"] == in_prompts
    assert tokens["torchtune/chat_train.json"] == sum(
        count_tokens(message["content"]) for chat in chats for message in chat["messages"]
    )


def test_the_text_completion_reader_of_torchtune_reads_the_kernels(
    folder: Path, tmp_path: Path
) -> None:
    # torchtune's text_completion_dataset(source="json", data_files=…, column="input",
    # split="train") makes exactly this call, then takes the column of each row.
    data = load(
        "json", data_files=str(folder / "triton_functions.json"), split="train", tmp_path=tmp_path
    )

    inputs = [row["input"] for row in data]
    train = [record["input"] for record in records(folder / "kernels" / "train.jsonl")]
    assert inputs == train
    assert len(inputs) == 12


@pytest.mark.parametrize("form", ["instruct", "chat"])
def test_the_other_readers_of_torchtune_find_their_columns(
    form: str, folder: Path, tmp_path: Path
) -> None:
    files = str(folder / "torchtune" / f"{form}_train.json")

    (first, *_) = data = load("json", data_files=files, split="train", tmp_path=tmp_path)

    assert len(data) == 12
    if form == "chat":
        assert [message["role"] for message in first["messages"]] == ["user", "assistant"]
    else:
        assert set(first) == {"input", "output"}


def test_the_columns_of_trl_are_conversations_and_the_pair(folder: Path, tmp_path: Path) -> None:
    data = load(str(folder), "trl", split="train", tmp_path=tmp_path)
    chats = json.loads((folder / "torchtune" / "chat_train.json").read_text())
    pairs = {pair["id"] for pair in records(folder / "pairs" / "train.jsonl")}

    assert [row["prompt"] + row["completion"] for row in data] == [row["messages"] for row in chats]
    assert {row["pair_id"] for row in data} == pairs


def test_the_card_loads_every_config_with_its_splits_and_features(
    folder: Path, tmp_path: Path
) -> None:
    for root in (folder, folder / "parquet"):
        names = datasets.get_dataset_config_names(str(root))
        assert {"pairs", "kernels"} <= set(names)
        for name in names:
            data = load(str(root), name, tmp_path=tmp_path)
            assert {split: len(rows) for split, rows in data.items()} == {
                "train": 12,
                "validation": 4,
                "test": 4,
            }
    assert data["train"].features["metadata"]["tags"].feature.dtype == "string"


def test_rows_are_the_same_through_json_and_through_parquet(folder: Path, tmp_path: Path) -> None:
    for kind in ("pairs", "kernels"):
        written = records(folder / kind / "test.jsonl")
        table = pq.read_table(folder / "parquet" / kind / "test.parquet")
        assert table.to_pylist() == written
        frame = pd.read_json(folder / kind / "test.jsonl", lines=True)
        assert len(frame) == len(pd.read_parquet(folder / "parquet" / kind / "test.parquet")) == 4
        assert list(frame.columns) == list(written[0])


def test_records_in_every_file_have_the_keys_of_the_dataset_format(tmp_path: Path) -> None:
    some_rows(3, 3)
    # One pair was checked in another way: the columns stay the same for all.
    pair = make.an_approved_pair()
    result = pair.validationresults.get()
    make.a_validation_check(result=result, name="gradients", outcome="skipped")
    pair.validationresults.update(figures={"cases": 7, "speedup": 3.5})

    folder = export(tmp_path / "out", "--splits", "100/0/0")

    columns = pair_columns(("equal", "gradients"))
    for record in records(folder / "pairs" / "train.jsonl"):
        assert differing(columns, record) == []
        assert record["metadata"]["verified"]["device"] == "interpreter"
        assert record["metadata"]["verified"]["cases"] == 7
        # Null where nobody measured it.
        assert record["metadata"]["verified"]["speedup"] in (None, 3.5)
    for record in records(folder / "kernels" / "train.jsonl"):
        assert differing(KERNEL, record) == []
        assert record["metadata"]["provenance"]["copyright"] == "Copyright (c) 2024 Ada"


def test_each_record_names_its_hardware_and_minimum_triton_release(tmp_path: Path) -> None:
    a_seen_kernel(hardware="hip", min_triton="3.4")
    make.an_approved_pair(min_triton="3.3")

    folder = export(tmp_path / "out", "--hardware", "all")

    said = {
        (*record["metadata"]["hardware"], record["metadata"]["min_triton"])
        for kind in ("kernels", "pairs")
        for found in every(folder, kind).values()
        for record in found
    }
    assert said == {("hip", "3.4"), ("cuda", "3.3")}


def test_a_pair_without_a_kernel_is_exported_with_its_stored_provenance(tmp_path: Path) -> None:
    provenance = {"repository": "ada/pairs", "lines": "3-9", "copyright": "Copyright (c) 2001 Ada"}
    make.an_approved_pair(
        license=make.a_license(expression="MIT"), metadata={"provenance": provenance}
    )

    folder = export(tmp_path / "out", "--splits", "100/0/0")

    (record,) = records(folder / "pairs" / "train.jsonl")
    assert record["metadata"]["provenance"] == {
        "repository": "ada/pairs",
        "commit": None,
        "path": None,
        "lines": [3, 9],
        "cell": None,
        "url": None,
        "license": "MIT",
        "copyright": "Copyright (c) 2001 Ada",
    }
    assert "Copyright (c) 2001 Ada" in (folder / "NOTICE").read_text()


def test_a_record_from_a_local_clone_links_to_its_remote(tmp_path: Path) -> None:
    kernel = a_seen_kernel()
    Repository.objects.update(
        name="/srv/kernels", url="/srv/kernels", origin=Origin.FOLDER,
        clone_of="https://github.com/ada/kernels",
    )  # fmt: skip

    folder = export(tmp_path / "out", "--splits", "100/0/0")

    (record,) = records(folder / "kernels" / "train.jsonl")
    provenance = record["metadata"]["provenance"]
    assert provenance["repository"] == "local/kernels"
    assert provenance["url"] == kernel.provenances.get().url
    assert provenance["url"].startswith("https://github.com/ada/kernels/blob/")


def test_a_folder_of_this_machine_is_not_exported_as_a_repository(tmp_path: Path) -> None:
    provenance = {"repository": "/home/ada/pairs"}
    make.an_approved_pair(license=make.a_license(), metadata={"provenance": provenance})

    folder = export(tmp_path / "out", "--splits", "100/0/0")

    (record,) = records(folder / "pairs" / "train.jsonl")
    assert record["metadata"]["provenance"]["repository"] == "local/pairs"


def test_every_record_has_a_notice_and_a_license_text(folder: Path) -> None:
    notice = (folder / "NOTICE").read_text()

    for record in _all(folder):
        assert f"[{record['metadata']['notice']}]" in notice
    assert "Copyright (c) 2024 Ada" in notice
    (text,) = (folder / "licenses").iterdir()
    assert text.read_text() == "Permission is hereby granted.\n"
    assert f"Text: licenses/{text.name}" in notice


def _all(folder: Path) -> Iterator[dict[str, Any]]:
    for kind in ("pairs", "kernels"):
        for split in ("train", "validation", "test"):
            yield from records(folder / kind / f"{split}.jsonl")


def test_the_kernelbook_format_has_its_expected_columns(folder: Path) -> None:
    (first, *_) = records(folder / "kernelbook" / "train.jsonl")

    assert first["licenses"] == ["MIT"]
    assert first["synthetic"] is True
    assert {"python_code", "triton_code", "entry_point", "repo_name", "uuid"} <= set(first)


def test_rows_are_repeated_by_weight_only_in_train(tmp_path: Path) -> None:
    some_rows(10, 0)

    folder = export(
        tmp_path / "out", "--splits", "60/20/20", "--upsample", "utils=3", "--repeat-rows"
    )

    assert len(records(folder / "kernels" / "train.jsonl")) == 18
    assert len(records(folder / "kernels" / "test.jsonl")) == 2
    assert len(json.loads((folder / "triton_functions.json").read_text())) == 18
    (share,) = manifest(folder)["mixing"]
    assert (share["tokens"], share["weighted_tokens"]) == (600, 1800)


def test_a_cap_limits_the_token_share_of_an_origin(tmp_path: Path) -> None:
    compiled = make.a_repository(
        origin=Origin.INDUCTOR, name="/srv/ada/debug", url="/srv/ada/debug"
    )
    some_rows(8, 0)
    for _ in range(8):
        a_seen_kernel(compiled)

    folder = export(tmp_path / "out", "--cap-origin", "inductor=0.2", "--splits", "100/0/0")

    origins = [record["metadata"]["origin"] for record in _all(folder)]
    assert origins.count("inductor") == 2
    assert list(reasons(folder).values()) == ["cap"] * 6
    assert "/srv" not in "".join(p.read_text() for p in folder.rglob("*") if p.is_file())


def test_a_kernel_is_exported_with_its_launcher_on_request(tmp_path: Path) -> None:
    a_seen_kernel(standalone_source="kernel = 1\n", launcher_source="def launch(): ...\n")

    folder = export(tmp_path / "out", "--with-launcher", "--format", "torchtune")

    (record,) = json.loads((folder / "triton_functions.json").read_text())
    assert record["input"] == "kernel = 1\n\n\ndef launch(): ...\n"


def test_a_whole_file_is_exported_only_if_all_its_kernels_may_be(tmp_path: Path) -> None:
    mit = make.a_license(expression="MIT")

    def a_file(name: str, *kernels: Any) -> None:
        text = f"# {name}\nx = 1\n"
        make.a_source_text(sha256=make.sha(text), text=text)
        file = make.a_source_file(path=f"k/{name}", sha256=make.sha(text), lines=2, tokens=9)
        for kernel in kernels:
            make.a_provenance(
                kernel=kernel, source_file=file, license=mit,
                license_verdict=LicenseVerdict.PERMISSIVE,
            )  # fmt: skip

    shared = make.an_approved_kernel(license=mit)
    a_file("good.py", shared, make.an_approved_kernel(license=mit))
    a_file("bad.py", shared, make.a_permissive_kernel(license=mit))

    folder = export(tmp_path / "out", "--unit", "file")

    (record,) = records(folder / "kernels" / "train.jsonl")
    assert record["input"] == "# good.py\nx = 1\n"
    assert record["metadata"]["name"] == "good.py"
    assert record["metadata"]["provenance"]["lines"] == [1, 2]
    assert reasons(folder) == {"bad.py": "pending"}


def test_a_file_is_exported_under_the_license_of_its_own_place(tmp_path: Path) -> None:
    """A kernel in three repositories: one says MIT, one Apache, one nothing."""
    mit, apache = make.a_license(expression="MIT"), make.a_license(expression="Apache-2.0")
    kernel = make.an_approved_kernel(license=mit)
    for number, license in enumerate((mit, apache, None)):
        text = f"# {number}\nx = 1\n"
        make.a_source_text(sha256=make.sha(text), text=text)
        make.a_provenance(
            kernel=kernel,
            source_file=make.a_source_file(
                repository=make.a_repository(name=f"ada/{number}", stars=9 - number),
                path=f"k/{number}.py", sha256=make.sha(text), lines=2, tokens=9,
            ),
            license=license,
            license_verdict=LicenseVerdict.PERMISSIVE if license else LicenseVerdict.UNKNOWN,
        )  # fmt: skip

    folder = export(tmp_path / "out", "--unit", "file", "--splits", "100/0/0")

    found = {
        record["metadata"]["name"]: (
            record["metadata"]["license"],
            record["metadata"]["provenance"]["repository"],
        )
        for record in records(folder / "kernels" / "train.jsonl")
    }
    assert found == {"0.py": ("MIT", "ada/0"), "1.py": ("Apache-2.0", "ada/1")}
    assert reasons(folder) == {"2.py": "license"}
    notice = (folder / "NOTICE").read_text()
    assert "ada/0\n    License: MIT" in notice
    assert "ada/1\n    License: Apache-2.0" in notice


def test_pass_rates_are_exported_and_load_in_every_format(tmp_path: Path) -> None:
    pair = make.an_approved_pair(pass_rate=0.25)
    make.a_pass_rate(pair=pair, model="b", k=4, n=8, passed=2)
    make.a_pass_rate(pair=pair, model="a", k=1, n=8, passed=2)
    make.an_approved_pair()

    folder = export(tmp_path / "out", "--format", "jsonl,parquet", "--splits", "100/0/0")

    rates = [
        {"model": "a", "k": 1, "n": 8, "passed": 2, "rate": 0.25},
        {"model": "b", "k": 4, "n": 8, "passed": 2, "rate": 0.785714},
    ]
    for root in (folder, folder / "parquet"):
        rows = load(str(root), "pairs", split="train", tmp_path=tmp_path)
        assert sorted(len(row["metadata"]["pass_at_k"]) for row in rows) == [0, 2]
        assert rates in [row["metadata"]["pass_at_k"] for row in rows]
