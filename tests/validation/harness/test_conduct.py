"""What an entry asks of Python that no kernel needs is heard; what an honest one asks is not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys
from validation.harness.inside.conduct import listener

listen = listener()
compiled = compile(sys.argv[2], sys.argv[1], "exec")
told = listen()
exec(compiled, {"__name__": "triton_code"})
first = told()
exec(compiled, {"__name__": "triton_code"})
print(json.dumps([first, told()]))
"""
RAISED = "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    found = "
HEARD = {
    "sys._getframe": ("import sys\nsys._getframe()", "walks the frames"),
    "inspect.currentframe": ("import inspect\ninspect.currentframe()", "walks the frames"),
    "inspect.stack": ("import inspect\ninspect.stack()", "walks the frames"),
    "logging.currentframe": ("import logging\nlogging.currentframe()", "walks the frames"),
    "traceback.walk_stack": (
        "import traceback\ndef walk():\n    return list(traceback.walk_stack(None))\nwalk()",
        "walks the frames",
    ),
    "an error's traceback": (f"{RAISED}error.__traceback__.tb_frame", "walks the frames"),
    "a generator": ("found = (each for each in ()).gi_frame", "walks the frames"),
    "gc": ("import gc\ngc.get_objects()", "walks through the garbage collector"),
    "another code": (
        "def one(): pass\ndef two(): pass\none.__code__ = two.__code__",
        "rewrites a function",
    ),
    "ctypes": ("import ctypes\nctypes.string_at(id(1), 4)", "reads memory by its address"),
}
HONEST = {
    "a named tuple": "from collections import namedtuple\nnamedtuple('Pair', 'one two')",
    "a data class": "from dataclasses import dataclass\n@dataclass\nclass One:\n    size: int = 1",
    "an enumeration": "import enum\nclass One(enum.IntEnum):\n    ONE = 1",
    "a warning": "import warnings\nwarnings.warn('slow', stacklevel=2)",
    "a line of a log": "import logging\nlogging.getLogger('x').warning('slow')",
    "the words of an error": f"import traceback\n{RAISED}traceback.format_exc()",
}


def heard(tmp_path: Path, code: str) -> tuple[dict[str, int], dict[str, int]]:
    """While it listened, and after that."""
    file = tmp_path / "entry-1" / "triton_code.py"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(file), code],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    first, both = json.loads(done.stdout)
    return first, both


@pytest.mark.parametrize("name", HEARD)
def test_who_looks_for_what_judges_him_is_heard_while_somebody_listens(
    name: str, tmp_path: Path
) -> None:
    code, words = HEARD[name]
    first, both = heard(tmp_path, code)
    assert any(each.startswith(words) for each in first), first
    assert both == first


@pytest.mark.parametrize("name", HONEST)
def test_what_an_honest_launcher_does_is_not_held_against_it(name: str, tmp_path: Path) -> None:
    assert heard(tmp_path, HONEST[name]) == ({}, {})


def test_what_was_heard_stays_heard_whoever_stops_the_listening(tmp_path: Path) -> None:
    """Whoever found what listens by walking the frames has been heard before."""
    code = (
        "import sys\n"
        "told = sys._getframe().f_back.f_globals['told']\n"
        "told()\n"
        "import gc\n"
        "gc.get_objects()\n"
    )
    first, _ = heard(tmp_path, code)
    assert first == {"walks the frames of its callers": 1}
