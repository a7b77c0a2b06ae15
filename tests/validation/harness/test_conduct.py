"""What an entry asks of Python that no kernel needs is heard; what an honest one asks is not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from validation.harness.inside.conduct import LEADS, NAMES, C

SCRIPT = """
import importlib, json, sys
from validation.harness.inside.conduct import listener

sys.path.insert(0, sys.argv[2])
import library
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
listen = listener()
told = listen()
importlib.import_module("triton_code")
first = told()
del sys.modules["triton_code"]
importlib.import_module("triton_code")
print(json.dumps([first, told()]))
"""
# It lies in a folder whose name begins as an entry's might.
LIBRARY = """
import sys

def passed(function, *given):
    return function(*given)

def looks():
    return sys._getframe(1).f_code.co_name

def runs(text):
    exec(text)
"""
# And one that uses it.
USER = """
import library

library.looks()
library.runs("def one(): pass")
run = exec


def by_another_name(text):
    run(text)


by_another_name("def one(): pass")
"""
BY_HAND = "import functools, gc, inspect, operator, sys, types\nfrom library import passed\n"
RAISED = "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    found = "
# Of another interpreter Python 3.13 tells nobody in the first.
SILENT_ABOUT_OTHERS = sys.version_info >= (3, 13)
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
    "a C library": ("import ctypes\nctypes.CDLL(None)", "calls C by ctypes"),
    "an object's address": (
        "import _ctypes\n_ctypes.PyObj_FromPtr(id(1))",
        "reads memory by its address",
    ),
    "other threads' frames": ("import sys\nsys._current_frames()", "walks the frames of other"),
    "what others raise": ("import sys\nsys._current_exceptions()", "walks the frames of other"),
    "a trace": ("import sys\nsys.settrace(None)", "traces the interpreter"),
    "a profile": ("import sys\nsys.setprofile(None)", "traces the interpreter"),
    "a hook": ("import sys\nsys.addaudithook(lambda *_: None)", "listens to the interpreter"),
    "a thread": (
        "import threading\nthreading.Thread(target=dict, daemon=True).start()",
        "starts a thread",
    ),
    "a plain thread": ("import _thread\n_thread.start_new_thread(dict, ())", "starts a thread"),
    "a pool": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "ThreadPoolExecutor().submit(abs, 1).result()",
        "starts a thread",
    ),
    "a program": ("import subprocess\nsubprocess.run(['true'])", "starts a program"),
    "a shell": ("import os\nos.system('true')", "starts a program"),
    "a fork": ("import os\nif not os.fork():\n    os._exit(0)", "forks"),
    "a signal": ("import os\nos.kill(os.getpid(), 0)", "sends signals"),
    "a signal's handler": (
        "import signal\nsignal.signal(signal.SIGUSR1, lambda *_: None)",
        "is called by signals",
    ),
    "another interpreter": (
        "try:\n    import _xxsubinterpreters as other\n"
        "except ImportError:\n    import _interpreters as other\n"
        "other.destroy(other.create())",
        "imports _interpreters" if SILENT_ABOUT_OTHERS else "starts another Python",
    ),
    "Python's own tests": (
        "try:\n    import _testcapi\nexcept ImportError:\n    pass",
        "imports _testcapi",
    ),
    "a limit": (
        "import resource as r\nr.setrlimit(r.RLIMIT_CORE, r.getrlimit(r.RLIMIT_CORE))",
        "changes what it may use",
    ),
    "a socket": ("import socket\nsocket.socket().bind(('127.0.0.1', 0))", "opens a connection"),
    "a file": ("open(__file__ + '.txt', 'w')", "writes to /"),
    "the reference": (
        "try:\n    import python_code\nexcept ImportError:\n    pass",
        "imports python_code",
    ),
    # What a library does for whoever asks it to.
    "frames by a library's hand": (f"{BY_HAND}passed(sys._getframe)", "walks the frames"),
    "a stack by a library's hand": (f"{BY_HAND}passed(inspect.stack)", "walks the frames"),
    "frames by Python's hand": (
        "import contextlib, sys\n"
        "with contextlib.ExitStack() as stack:\n    stack.callback(sys._getframe)",
        "walks the frames",
    ),
    "a traceback by a library's hand": (
        f"{BY_HAND}{RAISED}passed(operator.attrgetter('tb_frame'), error.__traceback__)",
        "walks the frames",
    ),
    "gc by a library's hand": (f"{BY_HAND}passed(gc.get_objects)", "walks through the garb"),
    "gc by nobody's hand": (
        "import _thread, gc, time\nfound = []\n"
        "_thread.start_new_thread(found.extend, (map(gc.get_objects, [0]),))\n"
        "while not found:\n    time.sleep(0.001)",
        "walks through the garb",
    ),
    "frames by a library that looks": ("import library\nlibrary.looks()", "walks the frames"),
    "a debugger": (
        f"import bdb\n{RAISED}bdb.Bdb().get_stack(None, error.__traceback__)",
        "walks the frames",
    ),
    "a log that asks it about each frame": (
        "import logging\nlogging._is_internal_frame = [].append\n"
        "logging.getLogger('x').findCaller()",
        "walks the frames",
    ),
    "a report that it keeps": (
        "import traceback\ntraceback.FrameSummary = dict\n"
        "try:\n    traceback.extract_stack()\nexcept Exception:\n    pass",
        "walks the frames",
    ),
    # What would make its code look like a library's.
    "a text": ("exec('def one(): pass')", "runs code that it made"),
    "a text's value": ("eval('lambda: 1')", "runs code that it made"),
    "a text that looks": ("import sys\nexec('sys._getframe()')", "walks the frames"),
    "a text by a library's hand": (
        f"{BY_HAND}passed(exec, 'def one(): pass')",
        "runs code that it made",
    ),
    "a value in another name": (
        "import sys, types\neval(compile('sys._getframe()', types.__file__, 'eval'))",
        "runs code that it made",
    ),
    "another name": (
        "import types\ndef look(): pass\n"
        "types.FunctionType(look.__code__.replace(co_filename=types.__file__), {})",
        "runs code that it made",
    ),
    "another name by a library's hand": (
        f"{BY_HAND}def look(): pass\n"
        "passed(types.FunctionType, look.__code__.replace(co_filename=types.__file__), {})",
        "runs code that it made",
    ),
    "a name of its own kind": (
        "import types\nclass Name(str):\n"
        "    def startswith(self, *_):\n        raise OSError\n"
        "    __contains__ = __eq__ = startswith\n    __hash__ = str.__hash__\n"
        "def look(): pass\n"
        "types.FunctionType(look.__code__.replace(co_filename=Name('x')), {})",
        "runs code that it made",
    ),
    "a loader of its own": (
        "import importlib.abc, importlib.util, types\n"
        "class Loader(importlib.abc.SourceLoader):\n"
        "    def get_data(self, path):\n        return b'x = 1'\n"
        "    def get_filename(self, name):\n        return types.__file__\n"
        "importlib.util.module_from_spec(importlib.util.spec_from_loader('m', Loader()))\n"
        "Loader().exec_module(types.ModuleType('m'))",
        "runs code that it made",
    ),
    "a text by a library that runs it": (
        "import library\nlibrary.runs('def one(): pass')",
        "runs code that it made",
    ),
    "a text in a field's name": (
        "from dataclasses import dataclass\n"
        "import sys\n"
        "@dataclass(init=False, repr=False)\nclass One:\n"
        "    __annotations__ = {'__class__,sys._getframe()': int}\n"
        "One() == One()",
        "walks the frames",
    ),
    "through a library's folder": (
        "import importlib.machinery, library, os\n"
        "fd = os.memfd_create('m')\n"
        "os.write(fd, b'import sys; sys._getframe()')\n"
        "path = os.path.dirname(library.__file__) + '/../' * 30 + f'proc/self/fd/{fd}'\n"
        "importlib.machinery.SourceFileLoader('m', path).load_module()",
        "walks the frames",
    ),
    "a path of its own kind": (
        "import importlib.machinery, library, os, types\n"
        "fd = os.memfd_create('m')\n"
        "os.write(fd, b'x = 1')\n"
        "class Path:\n"
        "    def __fspath__(self):\n        return library.__file__ + 'x'\n"
        "    def __str__(self):\n        return f'/proc/self/fd/{fd}'\n"
        "    def __eq__(self, other):\n        return True\n"
        "loader = importlib.machinery.SourceFileLoader('m', 'x')\n"
        "loader.path = Path()\n"
        "loader.exec_module(types.ModuleType('m'))",
        "runs code that it made",
    ),
    "a text by Triton's interpreter": (
        "import ast, library\n"
        "from triton.runtime import interpreter\n"
        "def one(): pass\n"
        "rewriter = interpreter.FunctionRewriter(one)\n"
        "rewriter.filename = library.__file__\n"
        "rewriter._compile_and_exec(ast.parse('def one(): pass'))",
        "runs code that it made",
    ),
    "frames by torch's tracer": (
        "from torch.fx.experimental import symbolic_shapes\n"
        "symbolic_shapes._find_user_code_frame()",
        "walks the frames",
    ),
    "an address by a library's hand": (
        f"{BY_HAND}import _ctypes\npassed(_ctypes.PyObj_FromPtr, id(1))",
        "reads memory by its address",
    ),
    "C by a library's hand": (
        f"{BY_HAND}import ctypes\npassed(getattr, ctypes.pythonapi, 'PyEval_GetFrame')",
        "calls C by ctypes",
    ),
    "a data class's maker": (
        "import dataclasses\n"
        "if hasattr(dataclasses, '_create_fn'):\n"
        "    dataclasses._create_fn('f', ['x'], ['  return 1'])\n"
        "else:\n"
        "    builder = dataclasses._FuncBuilder({})\n"
        "    builder.add_fn('f', ['x'], ['  return 1'])\n"
        "    builder.add_fns_to_class(type('One', (), {}))",
        "runs code that it made",
    ),
}
HONEST = {
    "a named tuple": "from collections import namedtuple\nnamedtuple('Pair', 'one two')",
    "a data class": "from dataclasses import dataclass\n@dataclass\nclass One:\n    size: int = 1",
    "an older named tuple": "import typing\ntyping.NamedTuple('Pair', [('one', int)])",
    "a class of a tuple": "import typing\nclass Pair(typing.NamedTuple):\n    one: int = 1",
    "a frozen data class": (
        "import dataclasses\n@dataclasses.dataclass(frozen=True, slots=True)\n"
        "class One:\n    size: int = 1\n"
        "dataclasses.make_dataclass('Two', ['size'])"
    ),
    "an enumeration": "import enum\nclass One(enum.IntEnum):\n    ONE = 1",
    "a function of one kind": "import functools\n@functools.singledispatch\ndef one(x): pass",
    "a context": "import contextlib\n@contextlib.contextmanager\ndef one():\n    yield",
    "a module of Python's": "import this, turtledemo, wave",
    "a library's module": "import jinja2.sandbox",
    "a library whose library looks at frames and runs texts": "import user",
    "a text that names": (
        "from __future__ import annotations\nimport functools, typing\n"
        "@functools.singledispatch\ndef one(x): pass\n"
        "@one.register\ndef _(x: int): pass\n"
        "def two(x: typing.Optional[list[int]]): pass\n"
        "typing.get_type_hints(two)\n"
        "eval('1 + 1')"
    ),
    "its own function's defaults": (
        "def one(x=1): pass\ndef two(x): pass\ntwo.__defaults__ = one.__defaults__"
    ),
    "nowhere": "import os\nopen(os.devnull, 'w').write('x')",
    "a path": "import os, pathlib\nopen(pathlib.Path(os.devnull)).read()",
    "a warning": "import warnings\nwarnings.warn('slow', stacklevel=2)",
    "a line of a log": "import logging\nlogging.getLogger('x').warning('slow')",
    "the words of an error": f"import traceback\n{RAISED}traceback.format_exc()",
}


def heard(tmp_path: Path, code: str) -> tuple[dict[str, int], dict[str, int]]:
    """While it listened, and after that."""
    for name, text in (
        ("entry-in-three-files-1/triton_code.py", code),
        ("entry-1/library.py", LIBRARY),
        ("entry-1/user.py", USER),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    places = [str(tmp_path / name) for name in ("entry-in-three-files-1", "entry-1")]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, *places],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    first, both = json.loads(done.stdout.splitlines()[-1])
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
        "frame = sys._getframe()\n"
        "while 'told' not in frame.f_globals:\n"
        "    frame = frame.f_back\n"
        "frame.f_globals['told']()\n"
        "import gc\n"
        "gc.get_objects()\n"
    )
    first, _ = heard(tmp_path, code)
    assert first == {"walks the frames of its callers": 1}


TOLD = {
    "import": "sly", "open": "sly, 'w', 1", "exec": "sly", "function.__new__": "sly",
    "object.__getattr__": "sly, sly", "object.__setattr__": "sly, '__defaults__', sly",
    "signal.signal": "sly, sly", "torch.set_eval_frame": "sly",
    "torch.Library": "'IMPL', sly, sly", "gc.get_objects": "sly", "os.kill": "sly, sly",
}  # fmt: skip


@pytest.mark.parametrize("event", TOLD)
def test_nothing_of_the_entrys_runs_unheard_while_something_is_heard(
    event: str, tmp_path: Path
) -> None:
    """Anybody can tell of an event, and hand over objects that are asked for this and that."""
    code = (
        "import sys\n"
        "class Sly:\n"
        "    def look(self, *_):\n"
        "        print('found', sys._getframe())\n"
        "        raise OSError\n"
        "    __eq__ = __hash__ = __str__ = __repr__ = __contains__ = __bool__ = look\n"
        "    __getattr__ = look\n"
        "sly = Sly()\n"
        f"sys.audit({event!r}, {TOLD[event]})\n"
    )
    first, _ = heard(tmp_path, code)
    assert "walks the frames of its callers" not in first


def test_what_one_thread_does_is_heard_while_another_is_listened_to(tmp_path: Path) -> None:
    """One tells of events all the time, so that something is being heard at any moment."""
    code = (
        "import gc, sys, threading\n"
        "def noise():\n"
        "    while True:\n"
        "        sys.audit('open', 'x', 'w', 1)\n"
        "sys.setswitchinterval(1e-6)\n"
        "for _ in range(3):\n"
        "    threading.Thread(target=noise, daemon=True).start()\n"
        "for _ in range(200):\n"
        "    gc.get_objects(0)\n"
    )
    first, _ = heard(tmp_path, code)
    assert first["walks through the garbage collector's objects"] == 200


def test_each_sentence_has_been_heard() -> None:
    """What Python never tells of would never be said."""
    tried = {words for _, words in HEARD.values()}
    silent = {"starts another Python"} if SILENT_ABOUT_OTHERS else set()
    for words in {words for _, words in (*LEADS, *NAMES, *C)} - silent:
        assert any(words.startswith(each) for each in tried), words
