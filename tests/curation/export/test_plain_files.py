"""Where files stand among plain folders: by their own paths, and never two in one place."""

import unicodedata
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from curation.export.plain_files import PathRequest, placed, safe_names


def places(*files: tuple[str, str, str, str]) -> list[str]:
    wanted = [PathRequest(*file) for file in files]
    found = placed(wanted)
    return [found[file] for file in wanted]


def test_repositories_with_the_same_name_get_distinct_folders() -> None:
    """Two folders of different people's machines, or names that differ by a capital."""
    assert places(
        ("utils", "local/Kernels", "1", "a.py"),
        ("utils", "local/kernels", "2", "a.py"),
        ("utils", "local/kernels", "3", "a.py"),
    ) == [
        "utils/local/Kernels/a.py",
        "utils/local/kernels~2/a.py",
        "utils/local/kernels~3/a.py",
    ]


def test_a_repository_name_with_path_traversal_is_sanitized() -> None:
    found = places(("utils", "../..", "1", "a.py"), ("utils", "/etc/.git", "2", "a.py"))

    assert sorted(found) == ["utils/_/_/a.py", "utils/_/etc/_git/a.py"]


def test_a_path_with_traversal_or_no_name_is_not_written() -> None:
    for path in (
        "", "/etc/passwd", "../a.py", "a/../../b.py", "a/./b.py", "a//b.py", "a/",
        ".git/hooks/post-checkout", ".GIT/config", "a\\..\\b.py", "a\0.py", "a\n.py",
        "a" * 300, "a/" * 600 + "b.py",
    ):  # fmt: skip
        assert safe_names(path) == ()
        assert placed([PathRequest("utils", "a/b", "1", path)]) == {}


names = st.sampled_from(["a.py", "A.py", "a", "A", "a~2.py", "..", "ö", "o\u0308", "ß", "ss", "b."])
anything = st.builds(
    PathRequest,
    st.sampled_from(["utils", "jax"]),
    st.sampled_from(["a/b", "A/b", "a/b/a", "..", "a"]),
    st.sampled_from("123"),
    st.lists(names, min_size=1, max_size=3).map("/".join) | st.text("aA./\\\0 ö", max_size=8),
)


# A machine that does other things meanwhile makes them slowly.
@given(st.lists(anything, max_size=12))
def test_plain_paths_never_collide_and_stay_below_their_category(
    files: list[PathRequest],
) -> None:
    found = placed(files)

    assert set(found) == {file for file in files if safe_names(file.path)}
    keys = [unicodedata.normalize("NFC", path.casefold()) for path in found.values()]
    assert len(set(keys)) == len(keys)
    above = {str(parent) for key in keys for parent in PurePosixPath(key).parents}
    assert not above & set(keys)
    for file, path in found.items():
        assert path.startswith(f"{file.category}/")
        assert not {"..", ".", ""} & set(path.split("/"))
    assert placed(reversed(files)) == found
