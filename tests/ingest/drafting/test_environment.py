"""A pair computes as its author's code does where no variable of the environment is set."""

from __future__ import annotations

import textwrap

import pytest

from ingest.drafting.environment import remove_switches


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ('eval(os.environ.get("DEBUG", default="False"))', "False"),
        ('os.environ.get("TMA", "0") == "1"', "False"),
        ('os.getenv("TUNE", "1").lower() not in ("0", "false")', "True"),
        ('not os.getenv("SLOW")', "True"),
        ('int(os.getenv("LEVEL", "2"))', "2"),
        ('os.getenv("DTYPE", "float32")', "'float32'"),
    ],
)
def test_a_switch_has_the_value_that_it_has_where_nothing_is_set(
    condition: str, value: str
) -> None:
    assert remove_switches(f"import os\nSWITCH = {condition}\n") == f"import os\nSWITCH = {value}\n"


def test_a_variable_that_other_values_decide_about_stays() -> None:
    written = text(
        """
        def size(default):
            return int(os.getenv("SIZE", default))
        """
    )

    assert remove_switches(written) == written


def test_the_branches_that_a_switch_excludes_go_with_their_comments() -> None:
    written = text(
        """
        def read_debug():
            debug = eval(os.environ.get("DEBUG", default="False"))
            if debug:
                dtype = "ieee"
            else:
                dtype = "tf32"
            return debug, dtype


        DEBUG, DTYPE = read_debug()

        if DEBUG:
            @triton.jit
            def exp(x):
                return slow(x)
        else:
            @triton.jit
            def exp(x):
                return tl.exp(x)


        def configs(found):
            # One is enough for debugging.
            if DEBUG:
                return found[:1]
            return found if not DEBUG else []
        """
    )

    assert remove_switches(written).partition("return debug, dtype\n")[2].strip("\n") == text(
        """
        DEBUG = False
        DTYPE = 'tf32'

        @triton.jit
        def exp(x):
            return tl.exp(x)


        def configs(found):
            return found
        """
    ).strip("\n")


def test_a_conjunction_with_a_switch_that_is_off_is_false() -> None:
    written = text(
        """
        IS_TMA_SUPPORTED = (
            IS_NVIDIA
            and torch.cuda.get_device_capability(0)[0] >= 9
            and os.environ.get("USE_TMA", "0") == "1"
            and hasattr(tl, "make_tensor_descriptor")
        )
        IS_NVIDIA = torch.cuda.is_available()
        SIZES = NUMBERS and False
        NUMBERS = [1]
        """
    )

    assert remove_switches(written) == text(
        """
        IS_TMA_SUPPORTED = False
        IS_NVIDIA = torch.cuda.is_available()
        SIZES = NUMBERS and False
        NUMBERS = [1]
        """
    )


def test_kernels_and_names_that_are_bound_twice_keep_their_branches() -> None:
    written = text(
        """
        DEBUG = False
        MODE = False


        def set_mode():
            global MODE
            MODE = True


        @triton.jit
        def kernel(x):
            if DEBUG:
                tl.device_print("x", x)


        def launch(x):
            if MODE:
                return x
        """
    )

    assert remove_switches(written) == written
