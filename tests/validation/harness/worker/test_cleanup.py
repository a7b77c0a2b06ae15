"""Files that an entry leaves are measured and removed, whatever their names and depth."""

import os
from contextlib import chdir
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.harness.worker.cleanup import NAMES_MOST, empty_folder, is_too_full, remove_folder

NAMES = st.sampled_from(["a", "b", "-rf", "*", "\n", "ä"])
TREES = st.recursive(
    st.sampled_from(["file", "link", "broken link"]),
    lambda inner: st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


def grow(place: Path, tree: object, outside: Path) -> None:
    if isinstance(tree, dict):
        place.mkdir()
        for name, inner in tree.items():
            grow(place / name, inner, outside)
    elif tree == "file":
        place.write_text("left")
    else:
        place.symlink_to(outside if tree == "link" else outside / "nothing")


@given(tree=st.dictionaries(NAMES, TREES, max_size=4))
def test_removing_any_tree_keeps_the_targets_of_links(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, object]
) -> None:
    base = tmp_path_factory.mktemp("left")
    folder, outside = base / "folder", base / "outside"
    outside.mkdir()
    (outside / "precious").write_text("kept")
    grow(folder, tree, outside)
    empty_folder(str(folder))
    assert not list(folder.iterdir())
    remove_folder(str(folder))
    assert not folder.exists()
    assert (outside / "precious").read_text() == "kept"


def test_a_tree_deeper_than_the_path_limit_is_removed(tmp_path: Path) -> None:
    with chdir(tmp_path):
        for _ in range(3000):
            os.mkdir("deeper")
            os.chdir("deeper")
        Path("bottom").write_text("left")
    assert is_too_full(str(tmp_path), 1 << 40)
    empty_folder(str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_cleaning_a_missing_folder_raises_no_error(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    assert not is_too_full(nowhere, 0)
    empty_folder(nowhere)
    remove_folder(nowhere)


def test_folder_size_counts_files_but_not_link_targets(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    (folder / "inner").mkdir(parents=True)
    outside.mkdir()
    (folder / "inner" / "file").write_bytes(bytes(1 << 20))
    (outside / "large").write_bytes(bytes(1 << 24))
    (folder / "link").symlink_to(outside)
    assert is_too_full(str(folder), (1 << 20) - 1)
    assert not is_too_full(str(folder), 1 << 21)


def test_folder_size_counts_directory_names(tmp_path: Path) -> None:
    for number in range(NAMES_MOST):
        (tmp_path / str(number)).mkdir()
    assert not is_too_full(str(tmp_path), 1 << 40)
    (tmp_path / "one more").mkdir()
    assert is_too_full(str(tmp_path), 1 << 40)
