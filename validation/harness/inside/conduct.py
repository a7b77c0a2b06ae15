"""What the entry's code asks of Python that no kernel needs: audit hooks can't be taken off."""

import os
import sys
import sysconfig
from collections import Counter
from typing import Any

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
    "socket.connect": "opens a connection",
    "socket.bind": "opens a connection",
    "socket.getaddrinfo": "opens a connection",
    "ctypes.dlopen": "calls C by ctypes",
    "sys.settrace": "traces the interpreter",
    "sys.setprofile": "traces the interpreter",
}
LIBRARY = (sysconfig.get_path("stdlib"), "<frozen", "<string>")
FORBIDDEN_MODULES = ("python_code", "test_code")


class Conduct:
    """Counts what the entry did, by what a person would call it."""

    def __init__(self) -> None:
        self.noted: Counter[str] = Counter()
        self.listening = False
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.listening:
            return
        # Looking at the frames is an event too.
        self.listening = False
        try:
            self._note(event, arguments)
        finally:
            self.listening = True

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import":
            if arguments[0] in FORBIDDEN_MODULES:
                self.noted[f"imports {arguments[0]}"] += 1
        elif event in NAMES:
            if _by_entry():
                self.noted[NAMES[event]] += 1
        elif event == "sys._getframe":
            if _by_entry(direct=True):
                self.noted["walks the frames of its callers"] += 1
        elif event == "open" and _writes(arguments) and _by_entry():
            self.noted[f"writes to {str(arguments[0])[:200]}"] += 1


def _writes(arguments: tuple[Any, ...]) -> bool:
    return isinstance(arguments[2], int) and bool(arguments[2] & (os.O_WRONLY | os.O_RDWR))


def _by_entry(*, direct: bool = False) -> bool:
    """Whether the first frame outside the standard library is the entry's."""
    frame = sys._getframe(1)
    own = __file__
    while frame is not None:
        name = frame.f_code.co_filename
        if name != own:
            if "entry-" in name:
                return True
            if not name.startswith(LIBRARY) or "site-packages" in name:
                return False
            if direct and not name.endswith("inspect.py"):
                return False
        frame = frame.f_back  # type: ignore[assignment]
    return False
