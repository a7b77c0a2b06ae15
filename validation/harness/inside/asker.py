"""Who asks Python for something: the entry, or a library for its own ends?

The frames tell. What lies where modules lay before the entry came is a library's; code that bears
such a name and is none can be made, but not unheard (see `conduct`). And whoever asks for his own
ends has the name of what he asks for in his code: a library that has not was handed it.
"""

import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType

from validation.harness.inside.folder import MARK

FROZEN = "<frozen "
STANDARD = (f"{sysconfig.get_path('stdlib')}/", FROZEN)
# Of Python's library these hand frames to whoever asks; others look at them for their own ends.
HANDING = ("inspect.py", "traceback.py", "logging/__init__.py")
# And these make functions from a text, which is theirs but for some names.
MAKERS = ("dataclasses.py", "collections/__init__.py", "typing.py")
ASKED = {"dataclass", "wrap", "make_dataclass", "namedtuple", "NamedTuple", "__new__"}


class Asker:
    """Made before the entry's code is imported."""

    def __init__(self) -> None:
        self.libraries = (*STANDARD, *sorted(_places()))

    def is_entry(self, frame: FrameType | None) -> bool:
        """Whether the first frame outside of Python's own library is the entry's."""
        for each in _outwards(frame):
            if self._of_entry(each.f_code):
                return True
            if not _standard(each.f_code):
                return False
        return False

    def asks_for(self, frame: FrameType | None, *names: str) -> bool:
        """The entry, or who was handed it: only the entry hands out such things."""
        return frame is None or self._handed(frame, names) or self.is_entry(frame)

    def is_shown(self, frame: FrameType | None, name: str) -> bool:
        """Whether the entry is handed what was asked for. A report of an error looks at frames too,
        some calls further in."""
        if frame is None or self._handed(frame, (name,)):
            return True
        further = 0
        for each in _outwards(frame):
            if self._of_entry(each.f_code):
                return True
            if not (_standard(each.f_code) and each.f_code.co_filename.endswith(HANDING)):
                # Handed out so far; to whoever asked for it, unless that was handed itself.
                return each is not frame and self._handed(each, (name,))
            further += not each.f_code.co_filename.endswith("inspect.py")
            if further > 1:
                return False
            name = each.f_code.co_name
        return False

    def changes(self, frame: FrameType | None, name: str) -> bool:
        """As `asks_for`, but that what Python's library changes is its own."""
        return frame is None or self._handed(frame, (name,)) or self._of_entry(frame.f_code)

    def makes_code(self, code: object, frame: FrameType | None) -> bool:
        """Whether it is the entry that runs a text or a code object, and not by an import."""
        if type(code) is not CodeType or frame is None:
            return True
        if frame.f_code.co_filename.startswith(f"{FROZEN}importlib"):
            return not _imported(code, frame)
        return self.asks_for(frame, "exec", "eval") and not _made(frame)

    def makes_function(self, code: object, frame: FrameType | None) -> bool:
        """From code that does not say that it is the entry's."""
        if type(code) is CodeType and type(code.co_filename) is str and _says_so(code):
            return False
        return self.asks_for(frame, "FunctionType")

    def _of_entry(self, code: CodeType) -> bool:
        return _says_so(code) or not code.co_filename.startswith((*self.libraries, "<"))

    def _handed(self, frame: FrameType, names: tuple[str, ...]) -> bool:
        code = frame.f_code
        return (
            code.co_filename.startswith(self.libraries)
            and not _says_so(code)
            and not any(name in code.co_names for name in names)
        )


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _places() -> set[str]:
    """Where modules are looked for, and where those lie that are there by now."""
    found = {f"{place}/" for place in sys.path if place and MARK not in place}
    for name, module in (*sys.modules.items(),):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and "." not in name:
            place = Path(file).parent
            found.add(f"{place.parent if hasattr(module, '__path__') else place}/")
    return found


def _says_so(code: CodeType) -> bool:
    return MARK in code.co_filename


def _standard(code: CodeType) -> bool:
    """Python's own, or written by it as it runs."""
    name = code.co_filename
    return name.startswith((*STANDARD, "<")) and "-packages/" not in name


def _imported(code: CodeType, frame: FrameType) -> bool:
    """Whether an import took it from the file whose name it bears."""
    for each in _outwards(frame):
        if not each.f_code.co_filename.startswith(f"{FROZEN}importlib"):
            return False
        if each.f_code.co_name == "exec_module":
            loader = each.f_locals.get("self")
            own = vars(loader) if type(loader) is SourceFileLoader else {}
            return own.keys() == {"name", "path"} and own["path"] == code.co_filename
    return False


def _made(frame: FrameType) -> bool:
    """Whether Python's library makes a class, as it does for honest launchers too, and was not
    asked for the function alone."""
    asked = ""
    for each in _outwards(frame):
        code = each.f_code
        if not (_standard(code) and code.co_filename.endswith(MAKERS)):
            break
        asked = code.co_name
    return asked in ASKED
