"""What the entry's code asks of Python that no kernel needs: audit hooks can't be taken off.

Nothing of the entry's may be called while something is heard, such as an object of its own among
what came with the event: it could look for us unheard, and by raising say that nothing was.
"""

import _thread
import os
import sys
from collections.abc import Callable
from types import FrameType, FunctionType, NoneType
from typing import Any

from validation.harness.inside import telling
from validation.harness.inside.asker import Asker
from validation.harness.inside.engine import Engine
from validation.harness.inside.hidden import hidden, table
from validation.harness.inside.kinds import by_entry

# These lead to what watches. Who else asks for them has a name for them in his code.
LEADS = (
    ("gc.get_objects", "walks through the garbage collector's objects"),
    ("gc.get_referrers", "walks through the garbage collector's objects"),
    ("gc.get_referents", "walks through the garbage collector's objects"),
    ("sys._current_frames", "walks the frames of other threads"),
    ("sys._current_exceptions", "walks the frames of other threads"),
    ("sys.addaudithook", "listens to the interpreter"),
    ("sys.settrace", "traces the interpreter"),
    ("sys.setprofile", "traces the interpreter"),
    ("sys.monitoring.register_callback", "traces the interpreter"),
)
NAMES = (
    ("_thread.start_new_thread", "starts a thread"),
    ("_thread.start_joinable_thread", "starts a thread"),
    ("subprocess.Popen", "starts a program"),
    ("os.system", "starts a program"),
    ("os.exec", "starts a program"),
    ("os.posix_spawn", "starts a program"),
    ("os.fork", "forks"),
    ("os.forkpty", "forks"),
    ("os.kill", "sends signals"),
    ("os.killpg", "sends signals"),
    (telling.SIGNAL, "is called by signals"),
    ("cpython.PyInterpreterState_New", "starts another Python"),
    ("resource.setrlimit", "changes what it may use"),
    ("socket.connect", "opens a connection"),
    ("socket.bind", "opens a connection"),
    ("socket.getaddrinfo", "opens a connection"),
)
# And so does memory by its address, and what C can be asked for.
C = (
    ("ctypes.cdata", "reads memory by its address"),
    ("ctypes.cdata/buffer", "reads memory by its address"),
    ("ctypes.dlopen", "calls C by ctypes"),
    ("ctypes.dlsym", "calls C by ctypes"),
    ("ctypes.PyObj_FromPtr", "reads memory by its address"),
    ("ctypes.string_at", "reads memory by its address"),
)
leads, names, c = table(dict(LEADS)), table(dict(NAMES)), table(dict(C))
# Of objects that lead to frames, and of functions.
FRAMES = frozenset({"tb_frame", "gi_frame", "cr_frame", "ag_frame"})
CODE = frozenset({"__code__", "__defaults__", "__kwdefaults__"})
# What torch's compiler calls for each function where it has nothing to do.
IDLE = (NoneType, bool)
# Beside what is judged, Python's own tests and other ways to run it, which lead to frames unheard.
FORBIDDEN_MODULES = frozenset({
    "python_code", "test_code", "_testcapi", "_testinternalcapi", "_xxsubinterpreters",
    "_interpreters", "greenlet",
})  # fmt: skip

# Whoever calls it by other means is told a yes or no.
OWN_LOOK = Engine.works.__code__

Told = Callable[[], dict[str, int]]


def listener() -> Callable[[], Told]:
    """Once in a process. Each call of what it gives begins to listen; what that gives ends it and
    counts what the entry did since, by what a person would call it. What was heard stays heard:
    whoever walks the frames to here has been heard before."""
    # Plain ones: a class of Python's library can be given other methods.
    heard: dict[str, int] = {}
    # Looking at the frames is an event too; what other threads do meanwhile is theirs.
    busy: set[int] = set()
    listening = False
    asker, me, place = Asker(), _thread.get_ident, sys._getframe

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if not listening or (thread := me()) in busy:
            return
        try:
            busy.add(thread)
            frame = place().f_back
            if frame and frame.f_code.co_filename == telling.__file__:
                frame = frame.f_back
            if frame and frame.f_code is OWN_LOOK:
                return
            if words := _noted(event, arguments, asker, frame):
                heard[words] = heard.get(words, 0) + 1
        finally:
            busy.discard(thread)

    def begin() -> Told:
        nonlocal listening
        before, listening = {**heard}, True

        def told() -> dict[str, int]:
            nonlocal listening
            listening = False
            since = {words: count - before.get(words, 0) for words, count in {**heard}.items()}
            return {words: count for words, count in since.items() if count}

        return hidden(told)

    telling.tell()
    sys.addaudithook(hear)
    return hidden(begin)


def _noted(event: str, arguments: tuple[Any, ...], asker: Asker, frame: FrameType | None) -> str:
    """In words; empty where it is nothing, or not the entry's."""
    if event == "exec":
        return "runs code that it made" if asker.makes_code(arguments[0], frame) else ""
    if event == "function.__new__":
        return "runs code that it made" if asker.makes_function(arguments[0], frame) else ""
    if event == telling.OPERATIONS:
        return _replaces(arguments, asker, frame)
    if event == telling.FRAMES_BY_TORCH:
        idle = any(type(arguments[0]) is kind for kind in IDLE)
        return "" if idle else "is shown frames by torch"
    if words := leads(event):
        return words if asker.asks_for(frame, event.rpartition(".")[2]) else ""
    if words := names(event):
        return words if asker.is_entry(frame) else ""
    if words := c(event):
        name = arguments[-1] if arguments and type(arguments[-1]) is str else ""
        return words if asker.calls_c(frame, name) else ""
    if event == "sys._getframe":
        return _walks(asker.is_shown(frame, "_getframe"))
    if event in ("object.__getattr__", "object.__setattr__", "import"):
        return _named(event, arguments, asker, frame)
    if event == "open" and _writes(arguments):
        return f"writes to {_told_plainly(arguments[0])}" if asker.is_entry(frame) else ""
    return ""


def _named(event: str, arguments: tuple[Any, ...], asker: Asker, frame: FrameType | None) -> str:
    """What has to do with a name. Anybody can tell of an event, with what he likes for a name."""
    name = arguments[0 if event == "import" else 1]
    if type(name) is not str:
        return ""
    if event == "import":
        return f"imports {name}" if name in FORBIDDEN_MODULES else ""
    if event == "object.__getattr__":
        return _walks(name in FRAMES and asker.is_shown(frame, name))
    if name != "__code__" and type(arguments[0]) is FunctionType and by_entry(arguments[0]):
        return ""
    return "rewrites a function" if name in CODE and asker.changes(frame, name) else ""


def _replaces(arguments: tuple[Any, ...], asker: Asker, frame: FrameType | None) -> str:
    """Torch registers some of its own operations when they are first asked for."""
    space, key = arguments[1], arguments[2]
    own = type(space) is str and type(key) is str and (space != "aten" or key in telling.TORCHS)
    asks = not own and asker.asks_for(frame, "_dispatch_library")
    return "replaces operations of torch's" if asks else ""


def _walks(walks: bool) -> str:
    return "walks the frames of its callers" if walks else ""


def _writes(arguments: tuple[Any, ...]) -> bool:
    if type(arguments[0]) is str and arguments[0] == os.devnull:
        return False
    return type(arguments[2]) is int and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))


def _told_plainly(path: object) -> str:
    plain = type(path) is str or type(path) is bytes or type(path) is int
    return str(path)[:200] if plain else "a path of its own kind"
