"""A launcher's docstring names its own parameters and shows no other interface."""

from __future__ import annotations

from ingest.drafting.writing.docstring_parts import trim_docstrings

WHOLE = '''def launch(x, y, w):
    r"""Scale a tensor.

    Args:
        x (Tensor): the input,
            of any shape.
        y, z: two factors
        state (Optional[Tensor]):
            A first state. Default: `None`.

    Returns:
        The scaled tensor.

    Examples::
        >>> from einops import rearrange
        >>> launch(x)
    """
    return x
'''
TRIMMED = '''def launch(x, y, w):
    r"""Scale a tensor.

    Args:
        x (Tensor): the input,
            of any shape.
        y, z: two factors

    Returns:
        The scaled tensor.
    """
    return x
'''


def test_examples_and_parameters_that_are_gone_go() -> None:
    assert trim_docstrings(WHOLE) == TRIMMED


def test_a_docstring_that_fits_stays() -> None:
    assert trim_docstrings(TRIMMED) == TRIMMED


def test_a_list_without_parameters_goes_with_its_heading() -> None:
    written = '''def launch(x):
    """Scale a tensor.

    Args:
        state: a state
    """
    return x
'''

    assert trim_docstrings(written) == 'def launch(x):\n    """Scale a tensor."""\n    return x\n'


def test_a_kernel_keeps_its_docstring() -> None:
    kernel = WHOLE.replace("def launch", "@triton.jit\ndef launch")

    assert trim_docstrings(kernel) == kernel
