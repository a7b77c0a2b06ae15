"""What the entry's code asks of Python that no kernel needs: audit hooks can't be taken off."""

import os
import sys
import sysconfig
from collections.abc import Callable
from typing import Any

from validation.harness.inside.hidden import hidden

NAMES = {
    "gc.get_objects": "walks through the garbage collector's objects",
    "gc.get_referrers": "walks through the garbage collector's objects",
    "gc.get_referents": "walks through the garbage collector's objects",
    "sys._current_frames": "walks the frames of other threads",
    "_thread.start_new_thread": "starts a thread",
    "_thread.start_joinable_thread": "starts a thread",
    "subprocess.Popen": "starts a program",
    "os.system": "starts a program",
    "os.exec": "starts a program",
    "os.posix_spawn": "starts a program",
    "os.fork": "forks",
    "os.forkpty": "forks",
    "os.kill": "sends signals",
    "os.killpg": "sends signals",
    "resource.setrlimit": "changes what it may use",
    "socket.connect": "opens a connection",
    "socket.bind": "opens a connection",
    "socket.getaddrinfo": "opens a connection",
    "ctypes.cdata": "reads memory by its address",
    "ctypes.cdata/buffer": "reads memory by its address",
    "ctypes.dlopen": "calls C by ctypes",
    "ctypes.dlsym": "calls C by ctypes",
    "ctypes.PyObj_FromPtr": "reads memory by its address",
    "ctypes.string_at": "reads memory by its address",
    "sys.addaudithook": "listens to the interpreter",
    "sys.settrace": "traces the interpreter",
    "sys.setprofile": "traces the interpreter",
    "sys.monitoring.register_callback": "traces the interpreter",
}
# Of objects that lead to frames, and of functions.
FRAMES = {"tb_frame", "gi_frame", "cr_frame", "ag_frame"}
CODE = {"__code__", "__defaults__", "__kwdefaults__"}
LIBRARY = (sysconfig.get_path("stdlib"), "<frozen", "<string>")
# These hand frames to whoever asks; others look at them for their own ends.
HANDING = ("inspect.py", "traceback.py", "logging/__init__.py")
FORBIDDEN_MODULES = ("python_code", "test_code")


Told = Callable[[], dict[str, int]]


def listener() -> Callable[[], Told]:
    """Once in a process. Each call of what it gives begins to listen; what that gives ends it and
    counts what the entry did since, by what a person would call it. What was heard stays heard:
    whoever walks the frames to here has been heard before."""
    # Plain ones: a class of Python's library can be given other methods.
    heard: dict[str, int] = {}
    listening = False

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal listening
        if not listening:
            return
        # Looking at the frames is an event too.
        listening = False
        try:
            if words := _noted(event, arguments):
                heard[words] = heard.get(words, 0) + 1
        finally:
            listening = True

    def begin() -> Told:
        nonlocal listening
        before, listening = {**heard}, True

        def told() -> dict[str, int]:
            nonlocal listening
            listening = False
            since = {words: count - before.get(words, 0) for words, count in {**heard}.items()}
            return {words: count for words, count in since.items() if count}

        return hidden(told)

    sys.addaudithook(hear)
    return hidden(begin)


def _noted(event: str, arguments: tuple[Any, ...]) -> str:
    """In words; empty where it is nothing, or not the entry's."""
    if event == "import":
        return f"imports {arguments[0]}" if arguments[0] in FORBIDDEN_MODULES else ""
    if event in NAMES:
        return NAMES[event] if _by_entry() else ""
    if event == "sys._getframe" or (event == "object.__getattr__" and arguments[1] in FRAMES):
        return "walks the frames of its callers" if _by_entry(direct=True) else ""
    if event == "object.__setattr__" and arguments[1] in CODE:
        return "rewrites a function" if _by_entry() else ""
    if event == "open" and _writes(arguments):
        return f"writes to {str(arguments[0])[:200]}" if _by_entry() else ""
    return ""


def _writes(arguments: tuple[Any, ...]) -> bool:
    return isinstance(arguments[2], int) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))


def _by_entry(*, direct: bool = False) -> bool:
    """Whether the first frame outside the standard library is the entry's. `direct`: and what it
    called there hands out frames. A report of an error looks at them too, some calls further in."""
    frame, own, further = sys._getframe(1), __file__, 0
    while frame is not None:
        name = frame.f_code.co_filename
        if name != own:
            if "entry-" in name:
                return True
            if not name.startswith(LIBRARY) or "site-packages" in name:
                return False
            if direct:
                further += not name.endswith("inspect.py")
                if further > 1 or not name.endswith(HANDING):
                    return False
        frame = frame.f_back  # type: ignore[assignment]
    return False
