"""Comments for the author of a text alone."""

import textwrap

from ingest.drafting.writing.comments import clean_comments


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def test_plans_and_words_to_checkers_go_from_all_code() -> None:
    code = text(
        """
        import torch  # type: ignore[import]


        @triton.jit
        def kernel(x):  # noqa: F811
            # pyrefly: ignore [bad-argument]
            value = tl.load(x)  # the value
            # Two lines are kept.
            # TODO: and two go,
            # with all that follows
            tl.store(x, "# noqa")  # FIXME


        def entry(x):
            # print(x)
            return kernel[(1,)](x)  # todo is a word
        """
    )

    assert clean_comments(code) == text(
        """
        import torch


        @triton.jit
        def kernel(x):
            value = tl.load(x)  # the value
            # Two lines are kept.
            tl.store(x, "# noqa")


        def entry(x):
            return kernel[(1,)](x)  # todo is a word
        """
    )


def test_a_text_that_is_no_python_stays() -> None:
    assert clean_comments("def f(:\n    # TODO\n") == "def f(:\n    # TODO\n"
