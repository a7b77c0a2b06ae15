"""Comments and docstrings about what a text lacks."""

import textwrap

from ingest.drafting.writing.absent_names import drop_absent


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


def test_what_tells_of_absent_names_goes() -> None:
    code = text(
        '''
        # Adapted from MODELING_LLAMA of https://example.org/some_repository
        def entry(x, block_size):
            """Add block_size, as `add_all` of the library does.

            The result is x_i + 1.

            With `skip_first`, the first row stays.

            Args:
                x (Tensor): of shape (batch_size, head_dim)
                block_size (int): see OTHER_OPTION
                    for the rest

            Returns:
                Tensor: the sum
            """
            # On AMD a wider block is faster,
            # so widen it.
            y = x + block_size  # unlike USE_BIAS

            # block_size is added.
            return y.view(dtype="INT_LIKE")  # INT_LIKE is a text
        '''
    )

    assert drop_absent(code) == text(
        '''
        # Adapted from MODELING_LLAMA of https://example.org/some_repository
        def entry(x, block_size):
            """Add block_size, as `add_all` of the library does.

            The result is x_i + 1.

            Args:
                x (Tensor): of shape (batch_size, head_dim)

            Returns:
                Tensor: the sum
            """
            y = x + block_size

            # block_size is added.
            return y.view(dtype="INT_LIKE")  # INT_LIKE is a text
        '''
    )


def test_a_heading_goes_with_all_its_entries() -> None:
    code = text(
        '''
        def entry(x):
            """Double x.

            Args:
                x: as in `other_module`
            """
            return 2 * x
        '''
    )

    assert drop_absent(code) == 'def entry(x):\n    """Double x."""\n    return 2 * x\n'


def test_a_text_without_foreign_names_stays() -> None:
    code = 'def entry(x):\n    """Double x.\n\n    Of 2 * x_i each.\n    """\n    return 2 * x\n'

    assert drop_absent(code) == code
    assert drop_absent("def f(:") == "def f(:"
