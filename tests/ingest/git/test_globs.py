import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git import Selection
from ingest.git.globs import matching_any


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "deep/er/a.py", True),
        ("/*.py", "a.py", True),
        ("/*.py", "b/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("src/*.py", "x/src/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "b/c/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("src/**", "src/b/c.txt", True),
        ("src/**", "src", False),
        ("tests", "tests/a.py", True),
        ("tests/", "x/tests/a.py", True),
        ("tests", "x/tests/y/a.py", True),
        ("tests", "latests/a.py", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].py", "b.py", True),
        ("[!ab].py", "c.py", True),
        ("[!ab].py", "a.py", False),
        ("x[!a]y", "x/y", False),
        ("x[+-9]y", "x/y", False),
        ("[z-a]", "z", False),
        ("[", "[", True),
        ("a.py", "aXpy", False),
        ("*", "new\nline", True),
        ("*.cu", "a.py", False),
    ],
)
def test_a_glob_matches_as_gitignore_would(pattern: str, path: str, matches: bool) -> None:
    assert matching_any([pattern])(path) is matches


def test_a_path_is_wanted_when_sparse_included_and_not_excluded() -> None:
    wanted = Selection(
        include=("**/*.py", "**/*.md"), exclude=("tests/", "*_old.py"), sparse_paths=("python/x/",)
    ).matcher()

    assert [p for p in ("python/x/a.py", "python/x/b/c.md", "python/y/a.py", "python/xy/a.py",
                        "python/x/tests/a.py", "python/x/a_old.py", "python/x/a.c")
            if wanted(p)] == ["python/x/a.py", "python/x/b/c.md"]  # fmt: skip


def test_a_sparse_path_may_be_one_file_or_the_whole_tree() -> None:
    assert Selection(sparse_paths=("a/b.py",)).matcher()("a/b.py")
    assert Selection(sparse_paths=(".",), include=()).matcher()(".hidden")


_NAMES = st.lists(st.text("ab.*-[]!", min_size=1, max_size=5), min_size=1, max_size=4)


@given(_NAMES)
def test_a_path_without_special_characters_matches_itself_and_all_below_it(
    names: list[str],
) -> None:
    path = "/".join(
        name.translate(str.maketrans("*[]!", "xxxx")).strip(".") or "x" for name in names
    )
    matches = matching_any([f"/{path}"])

    assert matches(path)
    assert matches(f"{path}/below.py")
    assert not matches(f"above/{path}")


@given(_NAMES, _NAMES)
def test_any_text_is_a_valid_glob_and_a_star_never_matches_a_slash(
    pattern: list[str], path: list[str]
) -> None:
    text = "/".join(pattern)

    matching_any([text])("/".join(path))

    assert not matching_any(["/*.end"])("/".join([*path, "x.end"]))


def test_a_hostile_pattern_is_matched_in_bounded_time() -> None:
    pattern = "**/" + "a/**/" * 50 + "*a" * 30 + "*b"

    assert not matching_any([pattern])("a/" * 500 + "a" * 250)


def _matches_slowly(pattern: list[str], path: list[str]) -> bool:
    """The definition, written without regular expressions and without regard for speed."""
    if not pattern:
        return True
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(path)
        return any(_matches_slowly(pattern[1:], path[skipped:]) for skipped in range(len(path) + 1))
    return (
        bool(path) and _name_matches(pattern[0], path[0]) and _matches_slowly(pattern[1:], path[1:])
    )


def _name_matches(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(_name_matches(pattern[1:], name[skipped:]) for skipped in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and _name_matches(pattern[1:], name[1:])


@given(
    st.lists(
        st.one_of(st.just("**"), st.text("ab*?", min_size=1, max_size=5)), min_size=1, max_size=5
    ),
    st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=5),
)
def test_the_compiled_glob_agrees_with_its_definition(pattern: list[str], path: list[str]) -> None:
    compiled = matching_any(["/" + "/".join(pattern)])

    assert compiled("/".join(path)) is _matches_slowly(pattern, path)
